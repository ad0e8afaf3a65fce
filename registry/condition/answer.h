// What is known of a build, put into a condition's tree, and what the rest comes to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "registry/condition/condition.h"
#include "registry/condition/tree.h"

namespace opledger {

// See Condition::AnswerIn.
ConditionTree KnownPutIn(const ConditionTree& tree, const Configuration& configuration,
                         std::string_view path);
ConditionAnswer AnswerOfTree(const ConditionTree& tree);

}  // namespace opledger
