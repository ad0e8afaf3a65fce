// Macro bombs by arithmetic: how many tokens a file's own macros make of its code, estimated
// without expanding anything. Forty macros that double each other are 2^40 tokens.
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
  std::size_t count = 0;    // of their names
  std::size_t nesting = 0;  // of calls in each other's arguments
};

// Where the code of `text` comes to more than kMaxTokens; none: it does not. `uses` may be more
// than there are. Calls that expansion alone puts together are not seen, so the preprocessor keeps
// a count of its own. A NUL byte must follow `text` in memory.
std::optional<Offset> FindMacroBomb(std::string_view text, const Outline& outline,
                                    const MacroUses& uses);

}  // namespace opledger::scan
