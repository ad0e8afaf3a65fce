// Uses of a module's lists by name of which it is not known that they leave the list as it was read
// from its assignments: a second look at the text, apart from the evaluation.
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

// What a name of the module stands for; kNested: a list of lists, or a dict of some.
enum class PythonHeld { kOther, kUnbound, kList, kNested, kClass };

struct PythonUse {
  std::string name;  // empty: any name of the module
  PythonId place = 0;
};

// What the evaluation came by.
struct PythonVisits {
  std::set<PythonId> statements;
  std::set<PythonId> calls;
  std::set<PythonId> names;
  std::set<PythonId> escaped;  // functions and classes that are called where that is not read
};

std::vector<PythonUse> UnknownPythonUses(const PythonTree& tree, const PythonVisits& visits,
                                         const std::function<PythonHeld(std::string_view)>& held);

// A function of Python itself that reaches names by their text.
bool ReachesPythonNames(std::string_view builtin);

// A function of Python itself that changes none of its arguments.
bool IsPythonReader(std::string_view builtin);

}  // namespace opledger
