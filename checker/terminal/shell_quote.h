// Quotes names in commands for the user to copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opledger {

// Returns `word` as one word of a POSIX shell, in single quotes if necessary. Returns nullopt for
// what should not be pasted: control characters, bytes that are not UTF-8, characters that reorder
// text, and words that look like a flag.
std::optional<std::string> ShellQuote(std::string_view word);

}  // namespace opledger
