// Loops of integer products: pairs of 16-bit factors, whose products are summed in 32 bits with
// wraparound. Exact, so that every instruction set gives the same sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/arithmetic/loops/product_bodies.h"
#include "kernels/arithmetic/loops/weight_bodies.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace opledger::arithmetic {

#if defined(__AVX512BW__)
using Sums = __m512i;
static constexpr std::size_t kIntegerRows = 14;
static inline Sums NoSums() { return _mm512_setzero_si512(); }
static inline Sums LoadSums(const void* from) { return _mm512_loadu_si512(from); }
static inline void StoreSums(void* to, Sums sums) { _mm512_storeu_si512(to, sums); }
static inline Sums AllPairs(std::int32_t pair) { return _mm512_set1_epi32(pair); }
static inline Sums AddProducts(Sums sums, Sums a, Sums b) {
#if defined(__AVX512VNNI__)
  return _mm512_dpwssd_epi32(sums, a, b);
#else
  return _mm512_add_epi32(sums, _mm512_madd_epi16(a, b));
#endif
}
// Interleaves the 16-bit elements of both, from the low or the high half of each 16 bytes.
static inline Sums PairsOfLow(Sums a, Sums b) { return _mm512_unpacklo_epi16(a, b); }
static inline Sums PairsOfHigh(Sums a, Sums b) { return _mm512_unpackhi_epi16(a, b); }
// Puts the sums of such pairs in the order of the columns.
static inline Sums FirstColumns(Sums low, Sums high) {
  return _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
}
static inline Sums LastColumns(Sums low, Sums high) {
  return _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
}
#elif defined(__AVX2__)
using Sums = __m256i;
static constexpr std::size_t kIntegerRows = 6;
static inline Sums NoSums() { return _mm256_setzero_si256(); }
static inline Sums LoadSums(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
static inline void StoreSums(void* to, Sums sums) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), sums);
}
static inline Sums AllPairs(std::int32_t pair) { return _mm256_set1_epi32(pair); }
static inline Sums AddProducts(Sums sums, Sums a, Sums b) {
  return _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
}
static inline Sums PairsOfLow(Sums a, Sums b) { return _mm256_unpacklo_epi16(a, b); }
static inline Sums PairsOfHigh(Sums a, Sums b) { return _mm256_unpackhi_epi16(a, b); }
static inline Sums FirstColumns(Sums low, Sums high) {
  return _mm256_permute2x128_si256(low, high, 0x20);
}
static inline Sums LastColumns(Sums low, Sums high) {
  return _mm256_permute2x128_si256(low, high, 0x31);
}
#else
using Sums = std::uint32_t __attribute__((vector_size(16)));
static constexpr std::size_t kIntegerRows = 4;
static inline Sums NoSums() { return Sums{}; }
static inline Sums LoadSums(const void* from) {
  Sums sums;
  __builtin_memcpy(&sums, from, sizeof(sums));
  return sums;
}
static inline void StoreSums(void* to, Sums sums) { __builtin_memcpy(to, &sums, sizeof(sums)); }
static inline Sums AllPairs(std::int32_t pair) {
  const auto both = static_cast<std::uint32_t>(pair);
  return Sums{both, both, both, both};
}
static inline Sums AddProducts(Sums sums, Sums a, Sums b) {
  using Signed = std::int32_t __attribute__((vector_size(16)));
  const auto first = [](Sums pairs) { return Sums(Signed(pairs << 16) >> 16); };
  const auto second = [](Sums pairs) { return Sums(Signed(pairs) >> 16); };
  return sums + first(a) * first(b) + second(a) * second(b);
}
using Halves = std::int16_t __attribute__((vector_size(16)));
static inline Sums PairsOfLow(Sums a, Sums b) {
  return Sums(__builtin_shufflevector(Halves(a), Halves(b), 0, 8, 1, 9, 2, 10, 3, 11));
}
static inline Sums PairsOfHigh(Sums a, Sums b) {
  return Sums(__builtin_shufflevector(Halves(a), Halves(b), 4, 12, 5, 13, 6, 14, 7, 15));
}
static inline Sums FirstColumns(Sums low, Sums /*high*/) { return low; }
static inline Sums LastColumns(Sums /*low*/, Sums high) { return high; }
#endif

static constexpr std::size_t kSumsInVector = sizeof(Sums) / sizeof(std::int32_t);

template <std::size_t kRows>
static void MultiplyPairs(std::size_t pairs, const std::int16_t* a, std::size_t a_step,
                          const std::int16_t* b, std::uint32_t* c, std::size_t c_step, bool adds) {
  Sums sums[kRows][2];
  OPLEDGER_UNROLLED
  for (std::size_t i = 0; i < kRows; ++i) sums[i][0] = sums[i][1] = NoSums();
  if (adds) {
    OPLEDGER_UNROLLED
    for (std::size_t i = 0; i < kRows; ++i) {
      sums[i][0] = LoadSums(c + i * c_step);
      sums[i][1] = LoadSums(c + i * c_step + kSumsInVector);
    }
  }
  for (std::size_t k = 0; k < pairs; ++k, a += 2, b += 4 * kSumsInVector) {
    const Sums first = LoadSums(b);
    const Sums second = LoadSums(b + 2 * kSumsInVector);
    OPLEDGER_UNROLLED
    for (std::size_t i = 0; i < kRows; ++i) {
      std::int32_t pair;
      __builtin_memcpy(&pair, a + i * a_step, sizeof(pair));
      const Sums factors = AllPairs(pair);
      sums[i][0] = AddProducts(sums[i][0], factors, first);
      sums[i][1] = AddProducts(sums[i][1], factors, second);
    }
  }
  OPLEDGER_UNROLLED
  for (std::size_t i = 0; i < kRows; ++i) {
    StoreSums(c + i * c_step, sums[i][0]);
    StoreSums(c + i * c_step + kSumsInVector, sums[i][1]);
  }
}

static void PairRows(const std::int16_t* first, const std::int16_t* second, std::int16_t* out,
                     std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[2 * i] = first[i];
    out[2 * i + 1] = second[i];
  }
}

// Sums of 2 * kSumsInVector columns, which stay in registers over all taps. The two halves of each
// 16 bytes of a vector stay interleaved until they are stored.
static void MultiplyIntegerTaps(std::size_t pairs, const std::int16_t* const* rows,
                                const std::int16_t* weights, std::uint32_t start,
                                std::uint32_t* out, std::size_t n) {
  for (std::size_t at = 0; at < n; at += 2 * kSumsInVector) {
    Sums low = AllPairs(static_cast<std::int32_t>(start));
    Sums high = low;
    for (std::size_t k = 0; k < pairs; ++k) {
      const Sums first = LoadSums(rows[2 * k] + at);
      const Sums second = LoadSums(rows[2 * k + 1] + at);
      std::int32_t pair;
      __builtin_memcpy(&pair, weights + 2 * k, sizeof(pair));
      const Sums factors = AllPairs(pair);
      low = AddProducts(low, factors, PairsOfLow(first, second));
      high = AddProducts(high, factors, PairsOfHigh(first, second));
    }
    StoreSums(out + at, FirstColumns(low, high));
    StoreSums(out + at + kSumsInVector, LastColumns(low, high));
  }
}

template <typename Byte>
static void SubtractZero(const Byte* in, std::int32_t zero, std::int16_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::int16_t>(in[i] - zero);
}

#define OPLEDGER_INTEGER_TILE(rows) MultiplyPairs<rows>
static constexpr IntegerLoops kIntegerLoops = {
    kIntegerRows,
    2 * kSumsInVector,
    {OPLEDGER_INTEGER_TILE(1), OPLEDGER_INTEGER_TILE(2), OPLEDGER_INTEGER_TILE(3),
     OPLEDGER_INTEGER_TILE(4),
#if defined(__AVX2__)
     OPLEDGER_INTEGER_TILE(5), OPLEDGER_INTEGER_TILE(6),
#endif
#if defined(__AVX512BW__)
     OPLEDGER_INTEGER_TILE(7), OPLEDGER_INTEGER_TILE(8), OPLEDGER_INTEGER_TILE(9),
     OPLEDGER_INTEGER_TILE(10), OPLEDGER_INTEGER_TILE(11), OPLEDGER_INTEGER_TILE(12),
     OPLEDGER_INTEGER_TILE(13), OPLEDGER_INTEGER_TILE(14)
#endif
    },
    PairRows,
    MultiplyIntegerTaps,
    SubtractZero<std::uint8_t>,
    SubtractZero<std::int8_t>,
    MultiplyNibbles};

}  // namespace opledger::arithmetic
