// Source text as one pass is to see it: relevant conditionals decided, includes and redefinitions
// of sinks blanked. Every byte keeps its place, so lines and columns stay true.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// A branch by place: files()[file].outline.branches[branch].
struct ForcedBranch {
  int file = 0;
  int branch = kNoBranch;

  auto operator<=>(const ForcedBranch&) const = default;
};

// One run of the preprocessor: each relevant conditional takes the branch its condition gives
// under `defines`, or the branch in `forced`.
struct Pass {
  Defines defines;
  // Of `defines`, the macros whose values are only one choice of many.
  NameSet guessed;
  std::vector<ForcedBranch> forced;  // with all that enclose them
  // Whether `defines` alone would take the forced branches; else what else holds is a guess.
  bool exact = true;
};

struct PatchOptions {
  int file;                          // whose text it is
  const std::vector<int>& branches;  // relevant ones, whole groups
  // The condition of a branch in its group, where the unit begins.
  std::function<Condition(int branch)> condition;
  const Pass& pass;
  bool blank_includes = false;
  const NameSet& pinned;  // macros whose #define and #undef are blanked
  // Text that need not be read: of each range stays a '@', which no C++ has outside literals.
  const std::vector<Range>& idle;
};

std::string PatchText(std::string_view original, const Outline& outline,
                      const PatchOptions& options);

}  // namespace opledger::scan
