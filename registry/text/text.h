// What needs nothing else of the project: text and bytes taken apart and put together, diagnostics,
// dtypes, globs, places in files. In: text. Out: text, small values.
// May include: nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opledger {

// "1 finding", "2 findings": `thing` is one of them; several get an "s".
inline std::string Counted(std::uint64_t count, std::string_view thing) {
  return (std::to_string(count) + ' ').append(thing).append(count == 1 ? "" : "s");
}

// Without the white space around it.
inline std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace opledger
