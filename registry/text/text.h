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

}  // namespace opledger
