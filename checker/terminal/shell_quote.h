// Names in commands that a reader will copy into a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opledger {

// `word` as one word of a POSIX shell: as it is, or in single quotes. None for what should not be
// pasted at all: control characters, bytes that are not UTF-8, marks that reorder text, and words
// that would be taken for a flag.
std::optional<std::string> ShellQuote(std::string_view word);

}  // namespace opledger
