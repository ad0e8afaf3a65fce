// Reads the literal lists of a Python module. It executes nothing: what is no literal is reported
// with its place, and never dropped silently.
//   FP32 = ['exp']                      ->  FP32: exp
//   if Features().is_enabled('ONEDNN'):
//       FP32.extend(['conv'])           ->  FP32: conv, where ONEDNN
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/condition.h"
#include "registry/diagnostics.h"

namespace opledger {

class PythonSource;

struct PythonValue {
  enum class Kind { kString, kNumber, kConstant, kList, kTuple, kSet, kDict, kUnreadable };
  Kind kind = Kind::kUnreadable;
  std::string text;                // of a string its value, of a number or constant its spelling
  bool joined = false;             // a string of several adjacent literals
  std::vector<PythonValue> items;  // of a dict: key, value, key, value, ...
  Location location;
};

struct PythonItem {
  PythonValue value;
  std::optional<PythonValue> key;  // of a dict
  Condition feature;               // over the names of features: `ONEDNN`, `!ONEDNN`
};

// A name that a list, tuple, set or dict literal was assigned to.
struct PythonList {
  std::string name;
  PythonValue::Kind kind = PythonValue::Kind::kList;
  Location location;  // of the name where it was first assigned
  std::vector<PythonItem> items;
  bool complete = true;  // false: something was said of it that could not be read
};

struct PythonModule {
  std::shared_ptr<const PythonSource> source;  // for messages
  std::vector<PythonList> lists;               // in the order of their first assignment
  const PythonList* Find(std::string_view name) const;
};

// Reads module-level assignments, `+=`, extend, append, update and NAME[key] = value, also below
// `if` with X.is_enabled('FEATURE') (with and, or, not, elif, else). None after a syntax error.
std::optional<PythonModule> ReadPythonLists(std::string path, std::string text,
                                            Diagnostics& diagnostics);

}  // namespace opledger
