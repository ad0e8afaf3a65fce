// Expressions as functions of a decision diagram.
//   defined(A) + defined(B) == 1  ->  defined(A) && !defined(B) || !defined(A) && defined(B)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "registry/condition/diagram.h"
#include "registry/condition/tree.h"

namespace opledger {

// The function that is true where the expression is not 0. Arithmetic over macros counts as a
// variable of its own, by its text; so do comparisons of two such terms, and unsigned ones.
ConditionFunction FunctionOf(const ConditionTree& tree);

// The same with the whole expression as one variable, where FunctionOf() would take too many steps.
// What is put in for its macros still decides it.
ConditionFunction AtomOf(const ConditionTree& tree);

// The expression of one test: defined(A), A <= 2.
ConditionTree TreeOfTest(const ConditionTest& test);

// The function with each test replaced; `replace` gives the function of a test, or nullopt where it
// stays.
using TestReplacement = std::function<std::optional<ConditionFunction>(const ConditionTest&)>;
ConditionFunction Replaced(ConditionFunction f, const TestReplacement& replace);

}  // namespace opledger
