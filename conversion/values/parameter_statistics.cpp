// Compares magnitudes as integers, which have the same order.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/values/parameter_statistics.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opledger {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

// Statistics of a piece: the largest finite magnitudes of positive and negative elements, the least
// magnitude, and the number of elements that reach `bound`.
struct Piece {
  std::uint32_t above = 0;
  std::uint32_t below = 0;
  std::uint32_t least = kInfinity;      // excluding zeros
  std::uint32_t smallest = kMagnitude;  // of all magnitudes, including infinity and NaN
  std::uint32_t largest = 0;
  std::uint64_t beyond = 0;
};

void AddPortably(const char* numbers, std::size_t count, std::uint32_t bound, Piece& piece) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, numbers + 4 * i, 4);
    const std::uint32_t magnitude = bits & kMagnitude;
    const std::uint32_t finite = magnitude < kInfinity ? magnitude : 0;
    piece.smallest = std::min(piece.smallest, magnitude);
    piece.largest = std::max(piece.largest, magnitude);
    piece.above = std::max(piece.above, bits == magnitude ? finite : 0);
    piece.below = std::max(piece.below, bits == magnitude ? 0 : finite);
    if (finite != 0) piece.least = std::min(piece.least, finite);
    piece.beyond += finite >= bound ? 1 : 0;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::uint32_t MaxLane(__m256i lanes) {
  std::uint32_t each[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(each), lanes);
  return *std::max_element(each, each + 8);
}

__attribute__((target("avx2"))) std::uint32_t MinLane(__m256i lanes) {
  std::uint32_t each[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(each), lanes);
  return *std::min_element(each, each + 8);
}

// Processes as many elements as possible in groups of eight and returns their number, which must be
// less than 2^32, since lanes count in 32 bits.
__attribute__((target("avx2"))) std::size_t AddByAvx2(const char* numbers, std::size_t count,
                                                      std::uint32_t bound, Piece& piece) {
  const __m256i infinity = _mm256_set1_epi32(static_cast<int>(kInfinity));
  const __m256i below_bound = _mm256_set1_epi32(static_cast<int>(bound - 1));
  const __m256i mask = _mm256_set1_epi32(static_cast<int>(kMagnitude));
  const __m256i one = _mm256_set1_epi32(1);
  __m256i above = _mm256_setzero_si256();
  __m256i below = above;
  __m256i beyond = above;
  __m256i least = infinity;
  __m256i smallest = mask;
  __m256i largest = above;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + 4 * i));
    const __m256i magnitude = _mm256_and_si256(bits, mask);
    const __m256i finite = _mm256_and_si256(magnitude, _mm256_cmpgt_epi32(infinity, magnitude));
    smallest = _mm256_min_epi32(smallest, magnitude);
    largest = _mm256_max_epi32(largest, magnitude);
    const __m256i negative = _mm256_srai_epi32(bits, 31);
    above = _mm256_max_epi32(above, _mm256_andnot_si256(negative, finite));
    below = _mm256_max_epi32(below, _mm256_and_si256(negative, finite));
    // Subtracting one turns zero into the largest unsigned value, so it is not the minimum.
    least = _mm256_min_epu32(least, _mm256_sub_epi32(finite, one));
    beyond = _mm256_sub_epi32(beyond, _mm256_cmpgt_epi32(finite, below_bound));
  }
  std::uint32_t counts[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts), beyond);
  for (const std::uint32_t each : counts) piece.beyond += each;
  piece.above = std::max(piece.above, MaxLane(above));
  piece.below = std::max(piece.below, MaxLane(below));
  piece.least = std::min(piece.least, MinLane(least) + 1);
  piece.smallest = std::min(piece.smallest, MinLane(smallest));
  piece.largest = std::max(piece.largest, MaxLane(largest));
  return i;
}
#endif

}  // namespace

float MinMaskMagnitude(Dtype target) { return target == Dtype::kFloat16 ? 1024 : 128; }

Range ParameterStatistics::AsRange() const {
  if (count == 0) return {};
  Range range = Range::Between(min < 0 ? static_cast<double>(min)
                               : zero  ? 0
                                       : static_cast<double>(min_magnitude),
                               max > 0 ? static_cast<double>(max)
                               : zero  ? 0
                                       : -static_cast<double>(min_magnitude));
  if (max_magnitude == 0) range = Range::Point(0);
  if (infinite) {
    range.low = -kInfinite;
    range.high = kInfinite;
  }
  range.gap = max_magnitude == 0 ? 0 : static_cast<double>(min_magnitude);
  range.zero = zero;
  range.nan = nan;
  return Tightened(range);
}

void ParameterStatistics::Add(const char* numbers, std::size_t more, Dtype target) {
  // The smallest magnitude that rounds to infinity: half a step above the largest finite value.
  const std::uint32_t bound = target == Dtype::kFloat16 ? 0x477ff000 : 0x7f7f8000;
  Piece piece;
  std::size_t done = 0;
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) done = AddByAvx2(numbers, more, bound, piece);
#endif
  AddPortably(numbers + 4 * done, more - done, bound, piece);
  count += more;
  overflowing += piece.beyond;
  max_magnitude = std::max(max_magnitude, std::bit_cast<float>(std::max(piece.above, piece.below)));
  min_magnitude = std::min(min_magnitude, std::bit_cast<float>(piece.least));
  min = std::min(min, -std::bit_cast<float>(piece.below));
  max = std::max(max, std::bit_cast<float>(piece.above));
  overflows_above = overflows_above || piece.above >= bound;
  overflows_below = overflows_below || piece.below >= bound;
  if (more == 0) return;
  zero = zero || piece.smallest == 0;
  infinite = infinite || piece.largest >= kInfinity;
  nan = nan || piece.largest > kInfinity;
}

}  // namespace opledger
