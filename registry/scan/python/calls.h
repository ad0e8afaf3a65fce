// Finds the calls that register: functions of the dialect, and methods of the objects that some of
// them return. An object is an unknown value whose name tells how it was made: a class, a bracket
// and the arguments. ".define" after that name is its method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/dialect/python_dialect.h"
#include "registry/list_source/evaluate/evaluate.h"

namespace opledger::scan {

struct PythonCall {
  const PythonSink* sink = nullptr;          // nullptr: only makes an object
  const PythonReceiver* receiver = nullptr;  // class of the object made, or of the method
  std::string object;                        // of a method: the namespace or operator of its object
  std::string key;                           // of a method: the key of its object
};

// Returns nullopt if the function does not register. `function` is named as imports name it.
std::optional<PythonCall> FindPythonCall(const PythonDialect& python, std::string_view function);

// Returns the value of the argument; nullptr if it is not given.
const PythonValue* ArgumentOf(const PythonArgument& argument, const PythonArguments& arguments);

// Returns the name of an object: a class, a bracket and the arguments.
std::string ObjectName(const PythonReceiver& receiver, const std::string& name,
                       const std::string& key);

// Replaces one of the framework's own objects at the beginning of the name, in the form of
// ObjectName().
std::string WithObjects(const PythonDialect& python, const std::string& name);

// Returns the words without which a file cannot use a function or class of the dialect.
std::vector<std::string> LeadingWords(const PythonDialect& python);

}  // namespace opledger::scan
