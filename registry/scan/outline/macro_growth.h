// Detects macro bombs by arithmetic: estimates how many tokens a file's own macros expand to,
// without expanding them. Forty macros that double each other expand to 2^40 tokens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "registry/scan/outline/outline.h"

namespace opledger::scan {

// More than any real source expands to.
inline constexpr std::size_t kMaxTokens = 20'000'000;

// How the code of a file uses the macros that the file defines.
struct MacroUses {
  std::size_t count = 0;    // uses of their names
  std::size_t nesting = 0;  // maximum depth of calls in each other's arguments
};

// Returns the offset at which the code of `text` expands to more than kMaxTokens; nullopt if it
// does not. `uses` may overestimate. Calls that only form during expansion are not seen, so the
// preprocessor keeps its own count. A NUL byte must follow `text` in memory.
std::optional<Offset> FindMacroBomb(std::string_view text, const Outline& outline,
                                    const MacroUses& uses);

}  // namespace opledger::scan
