// The value of a condition's tree under a set of defines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "registry/condition/condition.h"
#include "registry/condition/tree.h"

namespace opledger {

// Bounded work: a define that leads back to itself, or on and on, counts as 0.
ConditionInteger EvaluateTree(const ConditionNode& node, const Defines& defines);
// The same, again and again: texts of defines are parsed once; those that cannot be have no tree.
using ParsedTexts = std::map<std::string, ConditionTree>;
ConditionInteger EvaluateTree(const ConditionNode& node, const Defines& defines,
                              ParsedTexts& parsed);

// Adds the macros of the tree, without those inside opaque atoms; also these atoms, if asked.
void CollectMacros(const ConditionNode& node, bool atoms, std::set<std::string>& names);

}  // namespace opledger
