// Reads eight bytes at a time, since every byte of every file is checked.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/unreadable.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace opledger::scan {
namespace {

// TensorFlow 2.14 has files of up to 2 MB, 300 macros, and 300 conditionals nested 5 deep.
constexpr std::size_t kMaxMacros = 250'000;
constexpr std::size_t kMaxIncludes = 20'000;
constexpr std::size_t kMaxSuspiciousNames = 50'000;
constexpr std::size_t kMaxConditionalDepth = 100;
constexpr std::size_t kMaxConditionals = 50'000;
constexpr std::size_t kMaxBranches = 1'000;  // of one conditional
constexpr std::size_t kMaxConditionBytes = 64U << 10;

// Returns 0x80 in each of the eight bytes that is less than `limit`.
constexpr std::uint64_t BytesBelow(std::uint64_t bytes, unsigned char limit) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101U;
  const std::uint64_t rest = (bytes & 0x7f * kOnes) + (0x80U - limit) * kOnes;
  return ~(rest | bytes) & 0x80 * kOnes;
}

}  // namespace

std::string WhyUnreadable(std::string_view text) {
  if (text.size() > kMaxSourceBytes) return "the file is larger than 64 MB";
  std::size_t controls = 0;
  auto count = [&](std::uint64_t bytes) {
    // Control characters other than \t \n \v \f \r.
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
  if (!text_only) return "the file contains NUL bytes, so it is not source text";
  return 100 * controls > text.size()
             ? "the file contains mostly control characters, so it is not source text"
             : "";
}

const char* WhyTooMuch(const Outline& outline, std::size_t depth, std::size_t branches) {
  if (outline.macros.size() > kMaxMacros) return "the file defines more than 250,000 macros";
  if (outline.includes.size() > kMaxIncludes) return "the file has more than 20,000 #includes";
  if (outline.suspicious_names.size() > kMaxSuspiciousNames) {
    return "the file has more than 50,000 names that look like registrations";
  }
  if (depth > kMaxConditionalDepth) return "the file nests conditionals more than 100 deep";
  if (outline.branches.size() > kMaxConditionals)
    return "the file has more than 50,000 conditionals";
  if (branches > kMaxBranches) return "the file has a conditional with more than 1,000 branches";
  const std::vector<Branch>& all = outline.branches;
  if (!all.empty() && all.back().text.size() > kMaxConditionBytes) {
    return "the file has a condition longer than 64 kB";
  }
  return nullptr;
}

}  // namespace opledger::scan
