// Finds the registrations of a translation unit. In: its tokens after preprocessing. Out: one
// registration for each sentinel of a pinned sink and its chain of methods, with the location and
// condition of each part.
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

// What the matcher needs to know about places and names.
struct MatchContext {
  const SourceTree& tree;
  const Dialect& dialect;
  int unit;
  std::string_view text;  // the source text of the unit; followed by a NUL
  const MacroIndex& index;
  std::vector<const Sink*> sinks;  // as pinned
  // Returns the definition of a macro that is defined before the unit; file is -1 if there is
  // none.
  std::function<DefinitionRef(const std::string& macro)> injected;
  // Macros that must not remain after expansion: they are defined here and lead to a sink.
  const NameSet& must_expand;
  // Headers that are scanned by themselves: their registrations do not belong to this unit.
  const std::set<int>& others;
  const std::vector<std::string>&
      tracked_names;       // names on which the registrations of the unit depend
  const NameSet& leading;  // names that lead to a registration
  Spots& spots;            // receives the outcome of each occurrence of such a name
  TokenRecorder* recorder =
      nullptr;  // if set, receives all tokens; names that are not constants are then evaluated
};

// How the string argument of a registration becomes the operator's name.
struct NameRule {
  NameForm form = NameForm::kString;
  std::string space;
  std::string prefix;
  bool prefix_optional = false;  // the unprefixed name is an alias
};

void SetName(const std::string& value, const NameRule& rule, const std::string& separator,
             Registration& registration);

// A registration whose name has to be evaluated. Entry k belongs to record k of the recorder.
struct UnknownName {
  Registration registration;  // its name is empty
  NameRule rule;
  Dynamic dynamic;
};

struct MatchResult {
  std::vector<UnknownName> unknown;     // only with a recorder
  std::vector<std::string> unexpanded;  // from must_expand, or after a chain
  // A registration continues, or may continue, in code that patch.h hides.
  bool ran_on = false;
  bool doubtful = false;  // something could not be tracked; headers may help
  bool in_code = false;   // a function registers names that its callers pass
};

// Reads all tokens and adds the facts that it finds to `facts`.
MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts);

}  // namespace opledger::scan
