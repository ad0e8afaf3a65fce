// Finds defaults that the sources give to macros that are not defined:
//   #ifndef USE_X / #define USE_X 0 / #endif  ->  USE_X and the location of its default
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>

#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

class GuardedDefaults {
 public:
  // `tree` and `index` must outlive this object.
  GuardedDefaults(const SourceTree& tree, const MacroIndex& index) : tree_(tree), index_(index) {}

  // Adds the defaults, visible in the unit, of the macros in its facts' conditions. Only defaults
  // that are numbers and depend on no other condition count.
  void AddTo(Facts& facts, int unit);

 private:
  void Add(DefinitionRef ref, Facts& facts);
  const Location& PlaceOf(DefinitionRef ref);

  const SourceTree& tree_;
  const MacroIndex& index_;
  std::map<std::pair<int, int>, Location> places_;  // by file and macro
};

}  // namespace opledger::scan
