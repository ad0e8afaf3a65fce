// Looks for values of macros that make a condition true. The terms of a conjunction that share no
// macro are solved apart, so that ten independent `X == 1` cost ten small searches; one of them
// gives up after 16,384 tries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/condition/condition.h"
#include "registry/condition/tree.h"

namespace opledger {

// Condition::CanBeTrue and Condition::Satisfy for the tree of a condition.
bool TreeCanBeTrue(const ConditionTree& tree);
std::optional<Defines> SatisfyTree(const ConditionTree& tree, const Defines& base);

}  // namespace opledger
