// What of a dialect is about registrations in Python: which functions and objects register.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// An argument of a call, by place and by keyword.
struct PythonArgument {
  int index = -1;  // -1: by keyword alone
  std::string keyword;
  bool IsNone() const { return index < 0 && keyword.empty(); }
};

// A function, or a method of an object, that registers an operator or adds to one.
struct PythonSink {
  std::string function;  // "torch.library.custom_op", or the method's name
  PythonArgument name;   // which names the operator; none: what is decorated, or the object, does
  std::string form = "qualified";  // "qualified": NAMESPACE::NAME; "schema": with its arguments
  PythonArgument schema;           // the schema, where an argument of its own says it
  bool signature = false;          // else the decorated function's annotations say it
  PythonArgument devices;          // that what is decorated is a kernel for; not given: all
  std::string adds;                // the field of an operator that is registered elsewhere
  PythonArgument key;              // of this field's value: a string or a list of them
  PythonArgument dtype;            // the value: the type that it casts to
  std::map<std::string, std::string> returns;  // or by the name that the given function returns
};

// A class, or a sink, whose objects have methods that register.
struct PythonReceiver {
  std::string function;  // "torch.library.Library"
  PythonArgument name;   // what the methods' names are qualified with, or the operator itself
  PythonArgument key;    // the key of what `impl` adds without one
  std::map<std::string, std::string> objects;  // that the framework makes itself -> of what
  bool is_operator = false;                    // the object is of one operator, which `name` names
  std::vector<PythonSink> methods;
};

struct PythonDialect {
  std::vector<PythonSink> sinks;
  std::vector<PythonReceiver> receivers;
  std::vector<std::string> exclude;     // globs: what registers there does not count
  std::vector<std::string> suspicious;  // globs of functions that look like registrations
  bool IsNone() const { return sinks.empty() && receivers.empty(); }
};

// Reads the value of "python". False, with diagnostics, where it is malformed.
bool ReadPythonDialect(const JsonDocument& document, const JsonValue& value, PythonDialect& python,
                       Diagnostics& diagnostics);

}  // namespace opledger
