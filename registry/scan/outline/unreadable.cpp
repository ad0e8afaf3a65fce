// Eight bytes at a time: every byte of every file passes here.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/unreadable.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "registry/scan/outline/outline_limits.h"

namespace opledger::scan {
namespace {

// 0x80 in each byte that is less than `limit`, of eight.
constexpr std::uint64_t BytesBelow(std::uint64_t bytes, unsigned char limit) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101U;
  const std::uint64_t rest = (bytes & 0x7f * kOnes) + (0x80U - limit) * kOnes;
  return ~(rest | bytes) & 0x80 * kOnes;
}

}  // namespace

std::string WhyUnreadable(std::string_view text) {
  if (text.size() > kMostBytes) return "larger than 64 MB";
  std::size_t controls = 0;
  auto count = [&](std::uint64_t bytes) {
    // Below the space, but none of \t \n \v \f \r.
    const std::uint64_t spaces = BytesBelow(bytes, '\r' + 1) & ~BytesBelow(bytes, '\t');
    const std::uint64_t found = BytesBelow(bytes, ' ') & ~spaces;
    if (found == 0) return true;
    controls += static_cast<std::size_t>(std::popcount(found));
    return BytesBelow(bytes, 1) == 0;
  };
  std::uint64_t bytes = 0;
  bool text_only = true;
  std::size_t at = 0;
  for (; text_only && text.size() - at >= 8; at += 8) {
    std::memcpy(&bytes, text.data() + at, 8);
    text_only = count(bytes);
  }
  if (text_only) {
    bytes = 0x2020'2020'2020'2020U;
    std::memcpy(&bytes, text.data() + at, text.size() - at);
    text_only = count(bytes);
  }
  if (!text_only) return "holds NUL bytes, so it is no source text";
  return 100 * controls > text.size() ? "holds mostly control characters, so it is no source text"
                                      : "";
}

}  // namespace opledger::scan
