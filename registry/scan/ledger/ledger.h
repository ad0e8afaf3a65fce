// The ledger: assigns every mention of a name that leads to a registration to one column. Input:
// the bytes and outline of a file, the leading names, and what the preprocessor and the matcher
// found. Output: the balance, and the mentions that are not accounted for. The ledger does not know
// how registrations are matched, so an idiom that the matcher misses is reported instead of
// dropped.
// May include: registry/dialect, registry/manifest, registry/text, registry/scan/lex,
// registry/scan/macros, registry/scan/outline, registry/scan/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/outline/outline.h"
#include "registry/text/text.h"

namespace opledger::scan {

// A place in a file: the index of the file in the tree and the offset of a name.
using Spot = std::pair<int, Offset>;

// What all passes over a translation unit found out about the names at certain places.
struct Spots {
  std::set<Spot> read;        // the matcher read it completely
  std::set<Spot> declared;    // the matcher found that it declares or defines the name
  std::set<Spot> other;       // the matcher found that it registers nothing
  std::set<Spot> expanded;    // a macro that was expanded
  std::set<Spot> unexpanded;  // it, or a leading name in its expansion, was not expanded
  std::set<Spot> arguments;   // is in the arguments of a macro that was expanded
  // Calls, with their last token, that formed a name that was read.
  std::set<std::pair<Spot, Offset>> glued;
  // Offsets in the unit's text to look for in arguments, ascending.
  std::vector<Offset> wanted;

  void Clear();  // clears everything but `wanted`
};

// A leading name in the code of a file, outside directives.
struct Mention {
  enum class Form {
    kUse,         // called, expanded, or in an unknown form
    kDefinition,  // class NAME, NAME(...) : base class or member of its own definition
    kQualifier,   // NAME::, a scope
    kType         // NAME&, const NAME*: the type of a parameter or variable
  };
  std::string name;
  Offset offset = 0;
  int branch = kNoBranch;
  Form form = Form::kUse;
  bool piece = false;  // only a part of a leading name
};

// Finds the mentions of `names`. Words in `pieces` count if they are arguments of a macro for which
// `glues` returns true.
std::vector<Mention> FindMentions(std::string_view text, const Outline& outline,
                                  const NameSet& names, const NameSet& pieces = {},
                                  const std::function<bool(std::string_view)>& glues = {});

// Returns the location of the mention in the file `path`.
Location PlaceOf(const Mention& mention, const std::string& path, const LineIndex& lines);

// Returns the record of a mention that is not accounted for.
Incomplete LeftOver(const Location& location, const std::string& name);

// Number of mentions in each column.
struct Balance {
  int registered = 0;
  int definition = 0;  // of the macro, function or class itself
  int absent = 0;      // under a condition that no configuration satisfies
  int excepted = 0;    // by the dialect
  int other = 0;       // does not lead to a registration
  int outside = 0;     // outside the sources
  int incomplete = 0;

  Balance& operator+=(const Balance& more);
  bool operator==(const Balance&) const = default;
};

// Returns a table of the columns that are not zero, with their sum.
std::string BalanceText(const Balance& balance);

// Returns the number of mentions in the bodies of macros.
int DefinitionsIn(const MacroIndex& index, const SourceTree& tree);

// Adds the mentions of the file to the balance. Returns those that are not accounted for.
std::vector<Mention> Book(const std::vector<Mention>& mentions, int file, const Outline& outline,
                          const Spots& spots, Balance& balance);

}  // namespace opledger::scan
