// The named lists of a source file in any language, as its literals say: what an import starts
// from.
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
  std::string text;                 // of a string its value, of a number or constant its spelling
  bool joined = false;              // a string of several adjacent literals
  std::vector<LiteralValue> items;  // of a dict: key, value, key, value, ...
  Location location;
};

struct ListItem {
  LiteralValue value;
  std::optional<LiteralValue> key;  // of a dict
  Condition feature;                // over the names of features: `ONEDNN`, `!ONEDNN`
  bool literal = true;              // false: computed; the place is that of the expression that did
};

struct ListProblem {
  Location location;
  std::string message;
  std::string hint;
};

// A name that a list, tuple, set or dict literal was assigned to.
struct NamedList {
  std::string name;
  LiteralValue::Kind kind = LiteralValue::Kind::kList;
  Location location;  // of the name where it was first assigned
  std::vector<ListItem> items;
  bool shared = false;   // other lists of the module contain it
  bool complete = true;  // false: something was said of it that could not be read
  // Of a function, a class or a dict, not a name of the module: "white_list", "Lists.WHITE". What
  // could not be read of it is in `problems`, and in the diagnostics only for the others.
  bool inner = false;
  std::vector<ListProblem> problems;
};

struct ListModule {
  std::shared_ptr<const SourceText> source;  // for messages
  std::vector<NamedList> lists;              // in the order of their first assignment
  const NamedList* Find(std::string_view name) const;
};

}  // namespace opledger
