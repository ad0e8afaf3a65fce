// Simplifies a condition by what is known about a build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "registry/condition/condition.h"
#include "registry/condition/diagram.h"

namespace opledger {

// Returns the part of the function that is still open in a build; see Condition::AnswerIn.
ConditionFunction KnownPutIn(ConditionFunction f, const Configuration& configuration,
                             std::string_view path);

}  // namespace opledger
