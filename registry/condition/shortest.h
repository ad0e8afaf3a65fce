// A short expression of a function: irredundant sums of products of the function and of its
// opposite, made by S. Minato's algorithm ("Fast Generation of Prime-Irredundant Covers from Binary
// Decision Diagrams", 1993), with each product enlarged as far as the function allows, and
// factored.
//   A && B || A && C || A && B && D  ->  A && (B || C)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "registry/condition/diagram.h"
#include "registry/condition/tree.h"
#include "registry/condition/value_set.h"

namespace opledger {

// Which of the operands of a conjunction (`all`) or disjunction are needed, the first being left
// out first, by their places in the list.
std::vector<std::size_t> NeededOperands(bool all, const std::vector<ConditionFunction>& operands);

// The values of the variable that the node, no constant, asks for first which do not lead to
// "never".
ValueSet PossibleValues(ConditionFunction f);

// The expressions found, the function's own sum of products first; none where both have too many
// products. They depend on the function and the names of its variables alone.
std::vector<ConditionTree> ShortTreesOf(ConditionFunction f);

}  // namespace opledger
