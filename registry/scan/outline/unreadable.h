// Rejects files that are not source text: binaries, UTF-16, and files larger than any source needs
// to be. Without these limits, later steps that do not run in workers could take unbounded time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "registry/scan/outline/outline.h"

namespace opledger::scan {

inline constexpr std::size_t kMaxSourceBytes = 64U << 20;

// Returns why these bytes are not source text; "" if they are. Latin-1 comments are common and
// accepted.
std::string WhyUnreadable(std::string_view text);

// Returns which limit the file exceeds, as far as it was read; nullptr if none. `depth`
// conditionals are open; the innermost has `branches`.
const char* WhyTooMuch(const Outline& outline, std::size_t depth, std::size_t branches);

}  // namespace opledger::scan
