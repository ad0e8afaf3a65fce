// What is no source file: binaries, UTF-16, and files that hold more than any source needs. Without
// such limits the work of later steps, which are not done in workers, could grow without bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "registry/scan/outline/outline.h"

namespace opledger::scan {

inline constexpr std::size_t kMaxSourceBytes = 64U << 20;

// Why these bytes are no source text; empty if they are. Latin-1 comments are common and fine.
std::string WhyUnreadable(std::string_view text);

// Why the file has too much of something, as far as it was read: `depth` conditionals are open, the
// innermost of which has `branches`. None (nullptr): it has not.
const char* WhyTooMuch(const Outline& outline, std::size_t depth, std::size_t branches);

}  // namespace opledger::scan
