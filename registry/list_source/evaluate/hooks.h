// What a reader of registrations adds to the evaluation of a module: calls of imported functions
// and imported names are passed to it.
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

// The arguments of a call. Their places are nodes of the caller's tree.
struct PythonArguments {
  std::vector<PythonValue> positional;
  std::vector<std::pair<std::string, PythonValue>> keywords;
  bool known = true;  // false if an argument with * or ** is unknown
  const PythonValue* Keyword(std::string_view name) const;
};

struct PythonHooks {
  // A call of `function`, or a decorator without call, by its imported name:
  // "torch.library.custom_op", ".ops.register". Returns nullopt if nothing is known about it.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const std::string& function,
                                           PythonId place, const PythonArguments& arguments)>
      call;
  // Like `call`, for a function or class of another module.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const PythonValue& callee,
                                           PythonId place, const PythonArguments& arguments)>
      elsewhere;
  // Like `call`, for a function or class of this module, before it is called. Returns nullopt to
  // call it.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const PythonValue& callee,
                                           PythonId place, const PythonArguments& arguments)>
      own;
  // Like `call`, for a method that another module defines, of an object of any module.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const PythonValue& object,
                                           const PythonValue& method, PythonId place,
                                           const PythonArguments& arguments)>
      method;
  // A call of a method of an unknown object.
  std::function<void(PythonEvaluator& evaluator, std::string_view method,
                     const PythonArguments& arguments)>
      unknown;
  // An assignment NAME = value to an attribute of an imported object.
  std::function<void(PythonEvaluator& evaluator, const std::string& name, const PythonValue& value)>
      assigned;
  // Returns the value of an imported name, or an unknown value.
  std::function<std::optional<PythonValue>(PythonEvaluator& evaluator, const std::string& name,
                                           PythonId place)>
      imported;
  // Returns the names that `from MODULE import *` binds, with their imported names.
  std::function<std::vector<std::pair<std::string, std::string>>(PythonEvaluator& evaluator,
                                                                 const std::string& module)>
      starred;
};

}  // namespace opledger
