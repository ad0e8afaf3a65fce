// The part of a dialect about Python: which functions and objects register operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// An argument of a call, by position and by keyword.
struct PythonArgument {
  int index = -1;  // -1: by keyword only
  std::string keyword;
  bool IsNone() const { return index < 0 && keyword.empty(); }
};

// A function, or a method of an object, that registers an operator or adds to one.
struct PythonSink {
  std::string function;  // "torch.library.custom_op", or the method's name
  PythonArgument name;   // the operator's name; not given: the decorated function's or the object's
  std::string form = "qualified";  // "qualified": NAMESPACE::NAME; "schema": with its arguments
  PythonArgument schema;           // the schema, if it has its own argument
  bool signature = false;          // the annotations of the decorated function are the schema
  PythonArgument devices;          // devices of the decorated kernel; not given: all
  std::string adds;                // the field to add to an operator that is registered elsewhere
  PythonArgument key;              // key of the field's value: a string or a list of strings
  PythonArgument dtype;            // the value: the type that the kernel casts to
  // Alternatively, name returned by the given function -> value.
  std::map<std::string, std::string> returns;
};

// A class, or a sink, whose objects have methods that register operators.
struct PythonReceiver {
  std::string function;  // "torch.library.Library"
  PythonArgument name;   // the namespace of the methods' names, or the operator itself
  PythonArgument key;    // the key for `impl` calls without their own
  // Objects that the framework creates -> their namespace.
  std::map<std::string, std::string> objects;
  bool is_operator = false;  // the object represents the operator `name`
  std::vector<PythonSink> methods;
};

struct PythonDialect {
  std::vector<PythonSink> sinks;
  std::vector<PythonReceiver> receivers;
  std::vector<std::string> exclude;     // globs of files whose registrations are ignored
  std::vector<std::string> suspicious;  // globs of functions that look like registrations
  bool IsNone() const { return sinks.empty() && receivers.empty(); }
};

// Reads the value of "python". Returns false and reports diagnostics if it is malformed.
bool ReadPythonDialect(const JsonDocument& document, const JsonValue& value, PythonDialect& python,
                       Diagnostics& diagnostics);

}  // namespace opledger
