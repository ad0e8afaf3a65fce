// Finds the conditionals of a unit and its headers that affect the names that code computes:
//   #ifdef X / constexpr const char* kName = "a"; / #endif    Row rows[] = { #ifdef X ... #endif };
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/preprocess/patch.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// What the code at a place depends on.
struct Decision {
  Location place;
  std::vector<ForcedBranch> branches;  // sorted, unique
  NameSet names;                       // may include macros
};

// Returns one decision for each of the places. Its branches are those around and in the variables,
// functions and macros that the code depends on or that call it; those of files without an include
// guard whose text is part of these or may declare anything; and those around the #includes of all
// of them. Branches of include guards are left out. `text` is the unit's text, followed by a NUL.
// Names in `leading` are not followed.
std::vector<Decision> FindDecisions(const MacroIndex& index, const SourceTree& tree, int unit,
                                    std::string_view text, const std::set<Location>& places,
                                    const NameSet& leading);

}  // namespace opledger::scan
