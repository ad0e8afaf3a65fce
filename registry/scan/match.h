// Reads the post-expansion tokens of a translation unit and finds the registrations in them: the
// sentinel of a pinned sink, then the chain of methods after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/dialect.h"
#include "registry/scan/facts.h"
#include "registry/scan/macro_index.h"
#include "registry/scan/outline.h"

namespace clang {
class Preprocessor;
}

namespace opledger::scan {

// What the matcher asks about places and names.
struct MatchContext {
  const SourceTree& tree;
  const Dialect& dialect;
  int unit;
  const MacroIndex& index;
  std::vector<const Sink*> sinks;  // as pinned
  // The definition that stands for a macro defined before the unit; {-1, ...}: none.
  std::function<DefinitionRef(const std::string& macro)> injected;
  // Macros that must not be left over after expansion: they are defined here and lead to a sink.
  const NameSet& must_expand;
  // Headers that register by themselves: what they say is not this unit's.
  const std::set<int>& others;
  const std::vector<std::string>& asked;  // the names on which the unit's registrations depend
};

struct MatchResult {
  std::vector<std::string> unexpanded;  // of must_expand, or in the middle of a chain
  bool ran_on = false;                  // a registration went on into what patch.h hid
};

// Reads all tokens; adds what it finds to `facts`.
MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts);

}  // namespace opledger::scan
