// What the sources take macros to be that nobody defined before:
//   #ifndef USE_X / #define USE_X 0 / #endif  ->  USE_X, and where that stands
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>

#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

class GuardedDefaults {
 public:
  // Both must outlive it.
  GuardedDefaults(const SourceTree& tree, const MacroIndex& index) : tree_(tree), index_(index) {}

  // Adds the defaults, visible in the unit, of macros in its facts' conditions: numbers, under no
  // other condition.
  void AddTo(Facts& facts, int unit);

 private:
  void Add(DefinitionRef ref, Facts& facts);
  const Location& PlaceOf(DefinitionRef ref);

  const SourceTree& tree_;
  const MacroIndex& index_;
  std::map<std::pair<int, int>, Location> places_;  // of file and macro
};

}  // namespace opledger::scan
