// Magnitudes are compared as integers, which orders them as the numbers are.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/parameter_statistics.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace opledger {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

}  // namespace

float LargestOf(Dtype target) {
  return std::bit_cast<float>(target == Dtype::kFloat16 ? 0x477fe000U : 0x7f7f0000U);
}

float MaskMagnitude(Dtype target) { return LargestOf(target) / 2; }

void ParameterStatistics::Add(const char* numbers, std::size_t more, Dtype target) {
  // The least magnitude that rounds to infinity: half a step above the largest finite number.
  const std::uint32_t bound = target == Dtype::kFloat16 ? 0x477ff000 : 0x7f7f8000;
  std::uint32_t above = 0;  // the greatest magnitudes of positive and of negative numbers
  std::uint32_t below = 0;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < more; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, numbers + 4 * i, 4);
    const std::uint32_t magnitude = bits & kMagnitude;
    const std::uint32_t finite = magnitude < kInfinity ? magnitude : 0;
    above = std::max(above, bits == magnitude ? finite : 0);
    below = std::max(below, bits == magnitude ? 0 : finite);
    beyond += finite >= bound ? 1 : 0;
  }
  count += more;
  overflowing += beyond;
  largest = std::max(largest, std::bit_cast<float>(std::max(above, below)));
  least = std::min(least, -std::bit_cast<float>(below));
  overflows_above = overflows_above || above >= bound;
  overflows_below = overflows_below || below >= bound;
}

}  // namespace opledger
