// Which calls register: the dialect's functions, and the methods of the objects that some of them
// make. An object is an unknown value whose name says what made it and of what:
// a class, a bracket, and what it was given, so that ".define" behind it names its method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/dialect/python_dialect.h"
#include "registry/list_source/evaluate/evaluate.h"

namespace opledger::scan {

struct PythonCall {
  const PythonSink* sink = nullptr;          // nullptr: it only makes an object
  const PythonReceiver* receiver = nullptr;  // what it makes, or what the method is of
  std::string object;                        // of a method: the namespace, or the operator
  std::string key;                           // of a method: the key of its object
};

// The function is named as imports name it. None: it registers nothing.
std::optional<PythonCall> FindPythonCall(const PythonDialect& python, std::string_view function);

// The value of the argument; nullptr: it is not given.
const PythonValue* ArgumentOf(const PythonArgument& argument, const PythonArguments& arguments);

// How an object is named: a class, a bracket, and what it was given.
std::string ObjectName(const PythonReceiver& receiver, const std::string& name,
                       const std::string& key);

// The name with an object of the framework's own, at its beginning, as ObjectName() has it.
std::string WithObjects(const PythonDialect& python, const std::string& name);

// The words without which no file uses a function or class of the dialect.
std::vector<std::string> LeadingWords(const PythonDialect& python);

}  // namespace opledger::scan
