// What a macro means at a place of the file that defines it: a state per definition that may count.
//   #ifdef A / #define X 1 / #endif / <here>  ->  {defined(A): X is 1}, {!defined(A): as before}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/scan/outline/outline.h"

namespace opledger::scan {

struct MacroState {
  Condition when;
  int macro =
      -1;  // index in Outline::macros, perhaps of an #undef; -1: what it was before the file
};

// The states at `offset` of a macro whose definitions and #undefs are `events` (indices,
// ascending), without those that cannot be under `around`. Their conditions exclude each other.
std::vector<MacroState> StatesAt(const Outline& outline, const std::vector<int>& events,
                                 Offset offset, const Condition& around);

// Puts what the file's own macros mean into the conditions of its branches:
//   #ifndef FAST / #define FAST 1 / #endif / #if FAST  ->  !defined(FAST) || FAST
// The last step of making an outline.
void ResolveConditions(Outline& outline);

// A file as an #include at `at` of `includer` sees it: what the includer's macros mean there, put
// into the conditions of its branches.
Outline AsIncluded(const Outline& included, const Outline& includer, Offset at);

}  // namespace opledger::scan
