// The named lists in a source file of any language, as found in its literals. The starting point of
// an import.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/text/source_text.h"

namespace opledger {

struct LiteralValue {
  enum class Kind { kString, kNumber, kConstant, kList, kTuple, kSet, kDict, kUnreadable };
  Kind kind = Kind::kUnreadable;
  std::string text;                 // value of a string; spelling of a number or constant
  bool joined = false;              // a string made of several adjacent literals
  std::vector<LiteralValue> items;  // for a dict: key, value, key, value, ...
  Location location;
};

struct ListItem {
  LiteralValue value;
  std::optional<LiteralValue> key;  // for a dict
  Condition feature;                // over names of features: `ONEDNN`, `!ONEDNN`
  bool literal = true;  // false if computed; the location is then that of the expression
};

struct ListProblem {
  Location location;
  std::string message;
  std::string hint;
};

// A name to which a list, tuple, set or dict literal was assigned.
struct NamedList {
  std::string name;
  LiteralValue::Kind kind = LiteralValue::Kind::kList;
  Location location;  // of the name at its first assignment
  std::vector<ListItem> items;
  bool shared = false;   // other lists of the module contain it
  bool complete = true;  // false if something about it could not be interpreted
  // Set for lists in a function, a class or a dict: "white_list", "Lists.WHITE". Problems with
  // these are only in `problems`; those with names of the module are also reported as diagnostics.
  bool inner = false;
  std::vector<ListProblem> problems;
};

struct ListModule {
  std::shared_ptr<const SourceText> source;  // for messages
  std::vector<NamedList> lists;              // in the order of their first assignment
  // Returns nullptr if there is no list of this name.
  const NamedList* Find(std::string_view name) const;
};

}  // namespace opledger
