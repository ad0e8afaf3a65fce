// Finds uses of a module's lists that may change them in ways the evaluator does not handle. Walks
// the syntax tree separately from the evaluation.
//   hooks = [lambda: FP32.clear()]  ->  FP32, at its place in the lambda
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/python/python.h"

namespace opledger {

// The kind of value of a module's name. kNested: a list of lists, or a dict of lists.
enum class PythonHeld { kOther, kUnbound, kList, kNested, kClass };

struct PythonUse {
  std::string name;  // empty: all names of the module
  PythonId place = 0;
};

// The nodes that the evaluation reached.
struct PythonVisits {
  std::set<PythonId> statements;
  std::set<PythonId> calls;
  std::set<PythonId> names;
  std::set<PythonId> escaped;  // functions and classes that may be called from unknown code
};

std::vector<PythonUse> UnknownPythonUses(const PythonTree& tree, const PythonVisits& visits,
                                         const std::function<PythonHeld(std::string_view)>& held);

// Returns whether a built-in function can access names by their text.
bool ReachesPythonNames(std::string_view builtin);

// Returns whether a built-in function leaves all its arguments unchanged.
bool IsPythonReader(std::string_view builtin);

}  // namespace opledger
