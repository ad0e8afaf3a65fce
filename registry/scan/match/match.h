// Finds the registrations of a translation unit. In: its tokens after preprocessing; out: for each
// sentinel of a pinned sink, and the chain of methods after it, a registration with the places and
// conditions of every part.
// May include: registry/dialect, registry/text, registry/scan/facts,
// registry/scan/ledger, registry/scan/lex, registry/scan/macros, registry/scan/outline,
// registry/scan/preprocess, registry/scan/tokens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/ledger/ledger.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/outline/outline.h"

namespace clang {
class Preprocessor;
}

namespace opledger::scan {

class TokenRecorder;

// What the matcher needs to know of places and names.
struct MatchContext {
  const SourceTree& tree;
  const Dialect& dialect;
  int unit;
  std::string_view text;  // of the unit, as it is written; a NUL behind it
  const MacroIndex& index;
  std::vector<const Sink*> sinks;  // as pinned
  // The definition that stands for a macro defined before the unit; {-1, ...}: none.
  std::function<DefinitionRef(const std::string& macro)> injected;
  // Macros that must not be left over after expansion: they are defined here and lead to a sink.
  const NameSet& must_expand;
  // Headers that register by themselves: what they say is not this unit's.
  const std::set<int>& others;
  const std::vector<std::string>&
      tracked_names;       // the names on which the unit's registrations depend
  const NameSet& leading;  // names that lead to a registration
  Spots& spots;            // gets what became of each place where one is spelled
  TokenRecorder* recorder =
      nullptr;  // gets all tokens, and names that are no constants are told apart
};

// How the string that a registration is given becomes the operator's name.
struct NameRule {
  NameForm form = NameForm::kString;
  std::string space;
  std::string prefix;
  bool prefix_optional = false;  // the name without it is an alias
};

void SetName(const std::string& value, const NameRule& rule, const std::string& separator,
             Registration& registration);

// A registration whose name has to be evaluated: record number k of the
// recorder is the k-th of these.
struct UnknownName {
  Registration registration;  // without a name
  NameRule rule;
  Dynamic dynamic;
};

struct MatchResult {
  std::vector<UnknownName> unknown;     // where there is a recorder
  std::vector<std::string> unexpanded;  // of must_expand, or in the middle of a chain
  // A registration went on into what patch.h hid, or may go on there.
  bool ran_on = false;
  bool doubtful = false;  // something could not be followed: headers may tell more
  bool in_code = false;   // a function registers by what it is given
};

// Reads all tokens; adds what it finds to `facts`.
MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts);

}  // namespace opledger::scan
