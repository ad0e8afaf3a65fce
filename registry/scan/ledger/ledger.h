// The ledger: every mention of a name that leads to a registration is booked in one column. In: a
// file's bytes and outline, the leading names, what the preprocessor and the matcher made of each
// place; out: the balance, and the mentions that nothing accounts for. It knows nothing of how
// registrations are matched, so that an idiom nobody thought of is reported, never dropped.
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

// A place in a file: its index in the tree, and the byte at which a name is spelled.
using Spot = std::pair<int, Offset>;

// What was made of the names spelled at places, by all passes over a translation unit.
struct Spots {
  std::set<Spot> read;        // the matcher followed it to its end
  std::set<Spot> declared;    // the matcher found it to declare or define the name
  std::set<Spot> other;       // the matcher found it to register nothing
  std::set<Spot> expanded;    // a macro that was expanded
  std::set<Spot> unexpanded;  // it, or a leading name that it came to, stayed as it was
  std::set<Spot> arguments;   // it stands in the arguments of a macro that was expanded
  std::set<std::pair<Spot, Offset>> glued;  // calls, up to the last token, that made a read name
  // The places in the unit's text to look for in arguments, ascending.
  std::vector<Offset> wanted;

  void Clear();  // all but what is wanted
};

// A leading name in the code of a file, outside directives.
struct Mention {
  enum class Form {
    kUse,         // called, expanded, or in a form that nobody knows
    kDefinition,  // class NAME, NAME(...) : base class or member of its own definition
    kQualifier,   // NAME::, a scope
    kType         // NAME&, const NAME*: the type of a parameter or variable
  };
  std::string name;
  Offset offset = 0;
  int branch = kNoBranch;
  Form form = Form::kUse;
  bool piece = false;  // only a part of such a name
};

// `pieces` count as arguments of the macros for which `glues` holds.
std::vector<Mention> FindMentions(std::string_view text, const Outline& outline,
                                  const NameSet& names, const NameSet& pieces = {},
                                  const std::function<bool(std::string_view)>& glues = {});

// Where the mention stands in the file `path`.
Location PlaceOf(const Mention& mention, const std::string& path, const LineIndex& lines);

// What is said of a mention that nothing accounts for.
Incomplete LeftOver(const Location& location, const std::string& name);

// How many mentions stand in each column.
struct Balance {
  int registered = 0;
  int definition = 0;  // of the macro, function or class itself
  int absent = 0;      // under a condition that no configuration makes true
  int excepted = 0;    // by the dialect
  int other = 0;       // comes to nothing that registers
  int outside = 0;     // outside the sources
  int incomplete = 0;

  Balance& operator+=(const Balance& more);
  bool operator==(const Balance&) const = default;
};

// A table of the columns that hold something, with their sum.
std::string BalanceText(const Balance& balance);

// Mentions in the bodies of macros.
int DefinitionsIn(const MacroIndex& index, const SourceTree& tree);

// Books the mentions of file number `file`; gives those that are left over.
std::vector<Mention> Book(const std::vector<Mention>& mentions, int file, const Outline& outline,
                          const Spots& spots, Balance& balance);

}  // namespace opledger::scan
