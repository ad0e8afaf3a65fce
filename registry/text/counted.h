// "1 finding", "2 findings": how messages and summaries count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opledger {

// `thing` is one of them; several get an "s".
inline std::string Counted(std::uint64_t count, std::string_view thing) {
  return (std::to_string(count) + ' ').append(thing).append(count == 1 ? "" : "s");
}

}  // namespace opledger
