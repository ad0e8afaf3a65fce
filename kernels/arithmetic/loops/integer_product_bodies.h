// The loops of products of integers: a tile of sums that stay in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/product_bodies.h"

namespace opledger::arithmetic {

#if defined(__AVX512F__)
using Ints = __m512i;
static constexpr std::size_t kPairRows = 12;
static inline Ints LoadInts(const std::int32_t* from) { return _mm512_loadu_si512(from); }
static inline void StoreInts(std::int32_t* to, Ints ints) { _mm512_storeu_si512(to, ints); }
static inline Ints AllInts(std::int32_t x) { return _mm512_set1_epi32(x); }
static inline Ints AddPairs(Ints sums, Ints a, Ints b) {
  return _mm512_add_epi32(sums, _mm512_madd_epi16(a, b));
}
#elif defined(__AVX2__)
using Ints = __m256i;
static constexpr std::size_t kPairRows = 4;
static inline Ints LoadInts(const std::int32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
static inline void StoreInts(std::int32_t* to, Ints ints) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), ints);
}
static inline Ints AllInts(std::int32_t x) { return _mm256_set1_epi32(x); }
static inline Ints AddPairs(Ints sums, Ints a, Ints b) {
  return _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
}
#else
using Ints = std::uint32_t __attribute__((vector_size(16)));
static constexpr std::size_t kPairRows = 4;
static inline Ints LoadInts(const std::int32_t* from) {
  Ints ints;
  __builtin_memcpy(&ints, from, sizeof(ints));
  return ints;
}
static inline void StoreInts(std::int32_t* to, Ints ints) {
  __builtin_memcpy(to, &ints, sizeof(ints));
}
static inline Ints AllInts(std::int32_t x) {
  const auto one = static_cast<std::uint32_t>(x);
  return Ints{one, one, one, one};
}
// The lower halves with their signs, and the upper ones.
static inline Ints AddPairs(Ints sums, Ints a, Ints b) {
  const auto low = [](Ints x) { return ((x & 0xFFFFU) ^ 0x8000U) - 0x8000U; };
  const auto high = [](Ints x) { return ((x >> 16U) ^ 0x8000U) - 0x8000U; };
  return sums + low(a) * low(b) + high(a) * high(b);
}
#endif

static constexpr std::size_t kPairColumns = 2 * sizeof(Ints) / sizeof(std::int32_t);

// A tile by one instruction or another.
#define OPLEDGER_PAIR_TILE(NAME, TARGET, ADD)                                           \
  template <std::size_t kRows>                                                          \
  TARGET static void NAME(std::size_t pairs, const std::int32_t* a, std::size_t a_step, \
                          const std::int32_t* b, std::int32_t* c, std::size_t c_step) { \
    constexpr std::size_t kInts = kPairColumns / 2;                                     \
    Ints sums[kRows][2];                                                                \
    OPLEDGER_UNROLLED                                                                   \
    for (std::size_t i = 0; i < kRows; ++i) sums[i][0] = sums[i][1] = AllInts(0);       \
    for (std::size_t k = 0; k < pairs; ++k, ++a, b += kPairColumns) {                   \
      const Ints first = LoadInts(b);                                                   \
      const Ints second = LoadInts(b + kInts);                                          \
      OPLEDGER_UNROLLED                                                                 \
      for (std::size_t i = 0; i < kRows; ++i) {                                         \
        const Ints factor = AllInts(a[i * a_step]);                                     \
        sums[i][0] = ADD(sums[i][0], factor, first);                                    \
        sums[i][1] = ADD(sums[i][1], factor, second);                                   \
      }                                                                                 \
    }                                                                                   \
    OPLEDGER_UNROLLED                                                                   \
    for (std::size_t i = 0; i < kRows; ++i) {                                           \
      StoreInts(c + i * c_step, sums[i][0]);                                            \
      StoreInts(c + i * c_step + kInts, sums[i][1]);                                    \
    }                                                                                   \
  }

#if defined(__AVX512F__)
#define OPLEDGER_PAIR_TILES(NAME)                                                              \
  {                                                                                            \
    NAME<1>, NAME<2>, NAME<3>, NAME<4>, NAME<5>, NAME<6>, NAME<7>, NAME<8>, NAME<9>, NAME<10>, \
        NAME<11>, NAME<12>                                                                     \
  }
OPLEDGER_PAIR_TILE(MultiplyPairsVnni, __attribute__((target("avx512vnni"))), _mm512_dpwssd_epi32)
static constexpr IntegerProductLoops kVnniProductLoops = {kPairRows, kPairColumns,
                                                          OPLEDGER_PAIR_TILES(MultiplyPairsVnni)};
#else
#define OPLEDGER_PAIR_TILES(NAME) \
  { NAME<1>, NAME<2>, NAME<3>, NAME<4> }
static constexpr IntegerProductLoops kVnniProductLoops = {};
#endif
OPLEDGER_PAIR_TILE(MultiplyPairs, , AddPairs)
static constexpr IntegerProductLoops kIntegerProductLoops = {kPairRows, kPairColumns,
                                                             OPLEDGER_PAIR_TILES(MultiplyPairs)};

}  // namespace opledger::arithmetic
