// Finds short expressions of a function. Computes irredundant sums of products of the function and
// of its negation by S. Minato's algorithm ("Fast Generation of Prime-Irredundant Covers from
// Binary Decision Diagrams", 1993), enlarges each product as far as the function allows, and
// factors the result.
//   A && B || A && C || A && B && D  ->  A && (B || C)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "registry/condition/diagram.h"
#include "registry/condition/tree.h"
#include "registry/condition/value_set.h"

namespace opledger {

// Returns the indices of the needed operands of a conjunction (`all`) or disjunction. Earlier
// operands are dropped first.
std::vector<std::size_t> NeededOperands(bool all, const std::vector<ConditionFunction>& operands);

// Returns the values of the node's variable that do not lead to "never". The node must not be
// constant.
ValueSet PossibleValues(ConditionFunction f);

// Returns the expressions found, that of the function's own sum of products first; empty if both
// sums have too many products. The result depends only on the function and the names of its
// variables.
std::vector<ConditionTree> ShortTreesOf(ConditionFunction f);

}  // namespace opledger
