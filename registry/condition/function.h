// Converts expressions to functions of a decision diagram.
//   defined(A) + defined(B) == 1  ->  defined(A) && !defined(B) || !defined(A) && defined(B)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "registry/condition/diagram.h"
#include "registry/condition/tree.h"

namespace opledger {

// Returns the function that is true if the expression is not 0. Arithmetic over macros is a
// separate variable, named by its text. So are comparisons of two such terms, and unsigned
// comparisons.
ConditionFunction FunctionOf(const ConditionTree& tree);

// Returns a function in which the whole expression is one variable, for expressions on which
// FunctionOf() takes too many steps. Values for its macros still determine its value.
ConditionFunction AtomOf(const ConditionTree& tree);

// Returns the expression of one test: defined(A), A <= 2.
ConditionTree TreeOfTest(const ConditionTest& test);

// Replaces each test of the function. `replace` returns the replacement, or nullopt to keep the
// test.
using TestReplacement = std::function<std::optional<ConditionFunction>(const ConditionTest&)>;
ConditionFunction Replaced(ConditionFunction f, const TestReplacement& replace);

}  // namespace opledger
