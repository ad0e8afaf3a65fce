// Patches source text for one pass: decides relevant conditionals, and blanks includes and
// redefinitions of sinks. Every byte keeps its place, so that lines and columns stay correct.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// A branch: files()[file].outline.branches[branch].
struct ForcedBranch {
  int file = 0;
  int branch = kNoBranch;

  auto operator<=>(const ForcedBranch&) const = default;
};

// A run of the preprocessor. Each relevant conditional takes the branch whose condition holds under
// `defines`, or the branch in `forced`.
struct Pass {
  Defines defines;
  // Macros of `defines` whose values are one choice of many.
  NameSet guessed;
  std::vector<ForcedBranch> forced;  // including all enclosing branches
  // Whether `defines` alone would take the forced branches. If not, other conditions are guesses.
  bool exact = true;
};

struct PatchOptions {
  int file;                          // file of the text
  const std::vector<int>& branches;  // relevant branches, in whole groups
  // Returns the condition of a branch within its group, with macros as at the start of the unit.
  std::function<Condition(int branch)> condition;
  const Pass& pass;
  bool blank_includes = false;
  const NameSet& pinned;  // macros whose #define and #undef are blanked
  // Text that need not be read. A '@', which C++ only has in literals, remains of each range.
  const std::vector<Range>& idle;
};

std::string PatchText(std::string_view original, const Outline& outline,
                      const PatchOptions& options);

}  // namespace opledger::scan
