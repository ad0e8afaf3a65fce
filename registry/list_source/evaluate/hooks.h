// What a reader of registrations adds to the evaluation of a module: calls of what the module
// imports are handed to it, and so are the names that it imports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/list_source/evaluate/value.h"

namespace opledger {

class PythonEvaluator;

// The arguments of a call; their places are nodes of the tree in which the call stands.
struct PythonArguments {
  std::vector<PythonValue> positional;
  std::vector<std::pair<std::string, PythonValue>> keywords;
  bool known = true;  // no stars that are unknown
  const PythonValue* Keyword(std::string_view name) const;
};

struct PythonHooks {
  // A call, or a decorator that is not called, of `function`, as imports name it:
  // "torch.library.custom_op", ".ops.register". None: nothing is known of it.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const std::string& function,
                                           PythonId place, const PythonArguments& arguments)>
      call;
  // The same for a function or class of another module, as a value.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const PythonValue& callee,
                                           PythonId place, const PythonArguments& arguments)>
      elsewhere;
  // The same for one of this module, before it is called. None: it is called.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const PythonValue& callee,
                                           PythonId place, const PythonArguments& arguments)>
      own;
  // A method of another module, of an object of any module.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const PythonValue& object,
                                           const PythonValue& method, PythonId place,
                                           const PythonArguments& arguments)>
      method;
  // A method of what is not known.
  std::function<void(PythonEvaluator& evaluator, std::string_view method,
                     const PythonArguments& arguments)>
      unknown;
  // NAME = value, of an attribute of what is imported.
  std::function<void(PythonEvaluator& evaluator, const std::string& name, const PythonValue& value)>
      assigned;
  // The value of an imported name; an unknown value where it is not known.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const std::string& name,
                                           PythonId place)>
      imported;
  // The names that `from MODULE import *` binds, and what imports call them.
  std::function<std::vector<std::pair<std::string, std::string>>(PythonEvaluator& evaluator,
                                                                 const std::string& module)>
      starred;
};

}  // namespace opledger
