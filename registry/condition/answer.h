// What is known of a build, put into a condition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "registry/condition/condition.h"
#include "registry/condition/diagram.h"

namespace opledger {

// What is left of the function in a build; see Condition::AnswerIn.
ConditionFunction KnownPutIn(ConditionFunction f, const Configuration& configuration,
                             std::string_view path);

}  // namespace opledger
