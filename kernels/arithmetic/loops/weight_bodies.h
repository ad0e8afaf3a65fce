// Loops of products with 4-bit and 8-bit weights, which are widened in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/arithmetic/loops/product_bodies.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace opledger::arithmetic {

// Returns the value of a float8; does not handle NaN.
static inline float NumberOfFloat8(std::uint8_t bits, WeightFormat format) {
  const bool small = format == WeightFormat::kFloat8E4M3;
  const int fraction_bits = small ? 3 : 2;
  const int exponent = (bits & 0x7F) >> fraction_bits;
  const auto fraction = static_cast<float>(bits & ((1 << fraction_bits) - 1));
  const float unit = fraction / static_cast<float>(1 << fraction_bits);
  const int bias = small ? 7 : 15;
  const int power = exponent == 0 ? 1 - bias : exponent - bias;
  const float magnitude =
      (exponent == 0 ? unit : 1 + unit) * FromBits(static_cast<std::uint32_t>(power + 127) << 23);
  return bits > 0x7F ? -magnitude : magnitude;
}

#if defined(__AVX2__)

// Eight columns of integers or floats; panels have kGroups of them.
static constexpr std::size_t kGroups = kTileColumns / 8;
using Integers8 = __m256i;
using Floats8 = __m256;

static inline Integers8 LoadBytes32(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

// Returns the zeros of eight columns, each repeated in the four bytes of its lane.
static inline Integers8 ZerosInLanes(const WeightPanel& panel, std::size_t block,
                                     std::size_t group) {
  if (panel.zeros == nullptr) return _mm256_set1_epi8(static_cast<char>(panel.zero));
  long long eight;
  __builtin_memcpy(&eight, panel.zeros + block * kTileColumns + 8 * group, sizeof(eight));
  const Integers8 order = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4,
                                           4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
  return _mm256_shuffle_epi8(_mm256_set1_epi64x(eight), order);
}
static inline Integers8 ZerosAsIntegers(const WeightPanel& panel, std::size_t block,
                                        std::size_t group) {
  return _mm256_and_si256(ZerosInLanes(panel, block, group), _mm256_set1_epi32(0xFF));
}
static inline Floats8 ScalesOf(const WeightPanel& panel, std::size_t block, std::size_t group) {
  return _mm256_loadu_ps(panel.scales + block * kTileColumns + 8 * group);
}

// Byte kByte of each lane, signed, as a float.
template <int kByte>
static inline Floats8 SignedByte(Integers8 bytes) {
  const Integers8 top = kByte == 3 ? bytes : _mm256_slli_epi32(bytes, 24 - 8 * kByte);
  return _mm256_cvtepi32_ps(_mm256_srai_epi32(top, 24));
}

// Calls use(i, weight - zero of eight columns) for the eight rows that 32 bytes hold.
template <typename Use>
static inline __attribute__((always_inline)) void ForNibbles(const std::uint8_t* from,
                                                             Integers8 zeros, const Use& use) {
  const Integers8 mask = _mm256_set1_epi8(0x0F);
  const Integers8 packed = LoadBytes32(from);
  const Integers8 low = _mm256_sub_epi8(_mm256_and_si256(packed, mask), zeros);
  const Integers8 high =
      _mm256_sub_epi8(_mm256_and_si256(_mm256_srli_epi16(packed, 4), mask), zeros);
  use(0, SignedByte<0>(low));
  use(1, SignedByte<1>(low));
  use(2, SignedByte<2>(low));
  use(3, SignedByte<3>(low));
  use(4, SignedByte<0>(high));
  use(5, SignedByte<1>(high));
  use(6, SignedByte<2>(high));
  use(7, SignedByte<3>(high));
}

// Eight bytes of float8, one for each column, as floats.
template <WeightFormat kFormat>
static inline Floats8 Float8Columns(const std::uint8_t* from) {
  const __m128i bits = _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  if constexpr (kFormat == WeightFormat::kFloat8E5M2) {
    return _mm256_cvtph_ps(_mm_slli_epi16(bits, 8));
  } else {
    const __m128i sign = _mm_slli_epi16(_mm_and_si128(bits, _mm_set1_epi16(0x80)), 8);
    const __m128i rest = _mm_slli_epi16(_mm_and_si128(bits, _mm_set1_epi16(0x7F)), 7);
    return _mm256_mul_ps(_mm256_cvtph_ps(_mm_or_si128(sign, rest)), _mm256_set1_ps(256));
  }
}

// Weights of one row and eight columns, without their scale.
template <WeightFormat kFormat>
static inline Floats8 ByteColumns(const std::uint8_t* from, Integers8 zeros) {
  if constexpr (kFormat == WeightFormat::kUint8) {
    const Integers8 wide =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
    return _mm256_cvtepi32_ps(_mm256_sub_epi32(wide, zeros));
  } else {
    return Float8Columns<kFormat>(from);
  }
}

// Calls use(k, i, group, weights without their scale) for rows k + i from `begin` to `end`, all in
// one block. `begin`, `end` and k are multiples of 8.
template <WeightFormat kFormat, typename Use>
static inline __attribute__((always_inline)) void ForWeights(const WeightPanel& panel,
                                                             std::size_t block, std::size_t begin,
                                                             std::size_t end, const Use& use) {
  constexpr bool kNibbles = kFormat == WeightFormat::kUint4;
  Integers8 zeros[kGroups];
  OPLEDGER_UNROLLED
  for (std::size_t group = 0; group < kGroups; ++group) {
    zeros[group] =
        kNibbles ? ZerosInLanes(panel, block, group) : ZerosAsIntegers(panel, block, group);
  }
  if constexpr (kNibbles) {
    for (std::size_t k = begin; k < end; k += 8) {
      OPLEDGER_UNROLLED
      for (std::size_t group = 0; group < kGroups; ++group) {
        ForNibbles(panel.weights + k * kTileColumns / 2 + 32 * group, zeros[group],
                   [&](std::size_t i, Floats8 weights) { use(k, i, group, weights); });
      }
    }
  } else {
    for (std::size_t k = begin; k < end; k += 8) {
      OPLEDGER_UNROLLED
      for (std::size_t i = 0; i < 8; ++i) {
        OPLEDGER_UNROLLED
        for (std::size_t group = 0; group < kGroups; ++group) {
          const std::uint8_t* from = panel.weights + (k + i) * kTileColumns + 8 * group;
          use(k, i, group, ByteColumns<kFormat>(from, zeros[group]));
        }
      }
    }
  }
}

template <WeightFormat kFormat>
static void WidenWeights(const WeightPanel& panel, std::size_t begin, std::size_t end, float* out) {
  for (std::size_t k = begin; k < end;) {
    const std::size_t block = k / panel.block;
    const std::size_t last = (block + 1) * panel.block < end ? (block + 1) * panel.block : end;
    Floats8 scales[kGroups];
    OPLEDGER_UNROLLED
    for (std::size_t group = 0; group < kGroups; ++group) {
      scales[group] = ScalesOf(panel, block, group);
    }
    ForWeights<kFormat>(
        panel, block, k, last,
        [&](std::size_t at, std::size_t i, std::size_t group, Floats8 weights)
            __attribute__((always_inline)) {
              _mm256_storeu_ps(out + (at - begin + i) * kTileColumns + 8 * group,
                               _mm256_mul_ps(weights, scales[group]));
            });
    k = last;
  }
}

// The products of a block are summed without their scale, in two chains each.
template <WeightFormat kFormat>
static void MultiplyRow(const WeightPanel& panel, const float* a, float* sums) {
  Floats8 total[kGroups];
  OPLEDGER_UNROLLED
  for (std::size_t group = 0; group < kGroups; ++group) total[group] = _mm256_setzero_ps();
  for (std::size_t k = 0, block = 0; k < panel.inner; ++block) {
    const std::size_t last = k + panel.block < panel.inner ? k + panel.block : panel.inner;
    Floats8 parts[kGroups][2];
    OPLEDGER_UNROLLED
    for (std::size_t group = 0; group < kGroups; ++group) {
      parts[group][0] = parts[group][1] = _mm256_setzero_ps();
    }
    ForWeights<kFormat>(
        panel, block, k, last,
        [&](std::size_t at, std::size_t i, std::size_t group, Floats8 weights)
            __attribute__((always_inline)) {
              parts[group][i % 2] =
                  _mm256_fmadd_ps(_mm256_broadcast_ss(a + at + i), weights, parts[group][i % 2]);
            });
    OPLEDGER_UNROLLED
    for (std::size_t group = 0; group < kGroups; ++group) {
      total[group] = _mm256_fmadd_ps(_mm256_add_ps(parts[group][0], parts[group][1]),
                                     ScalesOf(panel, block, group), total[group]);
    }
    k = last;
  }
  OPLEDGER_UNROLLED
  for (std::size_t group = 0; group < kGroups; ++group) {
    _mm256_storeu_ps(sums + 8 * group, total[group]);
  }
}

static inline Integers8 FourOf(const void* four) {
  std::int32_t bytes;
  __builtin_memcpy(&bytes, four, sizeof(bytes));
  return _mm256_set1_epi32(bytes);
}

// Eight columns by kPanelDepth rows. Two products of an unsigned byte of at most 15 and a signed
// one fit 16 bits, and so do eight such sums.
struct NibbleColumns {
  Integers8 weights[8];

  inline __attribute__((always_inline)) void Load(const WeightPanel& panel, std::size_t k,
                                                  std::size_t group) {
    const Integers8 mask = _mm256_set1_epi8(0x0F);
    OPLEDGER_UNROLLED
    for (std::size_t i = 0; i < 4; ++i) {
      const Integers8 packed =
          LoadBytes32(panel.weights + (k + 8 * i) * kTileColumns / 2 + 32 * group);
      weights[2 * i] = _mm256_and_si256(packed, mask);
      weights[2 * i + 1] = _mm256_and_si256(_mm256_srli_epi16(packed, 4), mask);
    }
  }
  inline __attribute__((always_inline)) Integers8 Multiply(const std::int8_t* a) const {
#if defined(__AVX512VNNI__)
    Integers8 sums = _mm256_setzero_si256();
    OPLEDGER_UNROLLED
    for (std::size_t i = 0; i < 8; ++i) {
      sums = _mm256_dpbusd_epi32(sums, weights[i], FourOf(a + 4 * i));
    }
    return sums;
#else
    Integers8 sums = _mm256_maddubs_epi16(weights[0], FourOf(a));
    OPLEDGER_UNROLLED
    for (std::size_t i = 1; i < 8; ++i) {
      sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(weights[i], FourOf(a + 4 * i)));
    }
    return _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
#endif
  }
};

static void MultiplyNibbles(const WeightPanel& panel, std::size_t rows, const QuantisedRows& a,
                            float* sums) {
  for (std::size_t i = 0; i < rows * kTileColumns; ++i) sums[i] = 0;
  for (std::size_t k = 0; k < panel.inner; k += kPanelDepth) {
    const std::size_t block = k / panel.block;
    const std::size_t first = k / kPanelDepth * rows;
    OPLEDGER_UNROLLED
    for (std::size_t group = 0; group < kGroups; ++group) {
      NibbleColumns columns;
      columns.Load(panel, k, group);
      const Floats8 scale = ScalesOf(panel, block, group);
      const Floats8 zero = _mm256_cvtepi32_ps(ZerosAsIntegers(panel, block, group));
      for (std::size_t row = 0; row < rows; ++row) {
        float* sum = sums + row * kTileColumns + 8 * group;
        const Floats8 products = _mm256_fnmadd_ps(
            zero, _mm256_broadcast_ss(a.totals + first + row),
            _mm256_cvtepi32_ps(columns.Multiply(a.bytes + (first + row) * kPanelDepth)));
        const Floats8 factor = _mm256_mul_ps(scale, _mm256_broadcast_ss(a.scales + first + row));
        _mm256_storeu_ps(sum, _mm256_fmadd_ps(products, factor, _mm256_loadu_ps(sum)));
      }
    }
  }
}

#else

// Returns the weight of a column of the panel without its scale.
template <WeightFormat kFormat>
static inline float WeightOf(const WeightPanel& panel, std::size_t k, std::size_t column) {
  const std::size_t block = k / panel.block;
  const int zero = panel.zeros == nullptr ? panel.zero : panel.zeros[block * kTileColumns + column];
  if constexpr (kFormat == WeightFormat::kUint4) {
    const std::uint8_t byte = panel.weights[NibbleByte(k, column, kTileColumns)];
    return static_cast<float>((k % 8 < 4 ? byte & 15 : byte >> 4) - zero);
  } else {
    const std::uint8_t byte = panel.weights[k * kTileColumns + column];
    if constexpr (kFormat == WeightFormat::kUint8) return static_cast<float>(byte - zero);
    return NumberOfFloat8(byte, kFormat);
  }
}

template <WeightFormat kFormat>
static void WidenWeights(const WeightPanel& panel, std::size_t begin, std::size_t end, float* out) {
  for (std::size_t k = begin; k < end; ++k) {
    const float* scales = panel.scales + k / panel.block * kTileColumns;
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      *out++ = WeightOf<kFormat>(panel, k, j) * scales[j];
    }
  }
}

template <WeightFormat kFormat>
static void MultiplyRow(const WeightPanel& panel, const float* a, float* sums) {
  for (std::size_t j = 0; j < kTileColumns; ++j) sums[j] = 0;
  for (std::size_t k = 0; k < panel.inner; ++k) {
    const float* scales = panel.scales + k / panel.block * kTileColumns;
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      sums[j] += a[k] * (WeightOf<kFormat>(panel, k, j) * scales[j]);
    }
  }
}

static void MultiplyNibbles(const WeightPanel& panel, std::size_t rows, const QuantisedRows& a,
                            float* sums) {
  for (std::size_t i = 0; i < rows * kTileColumns; ++i) sums[i] = 0;
  for (std::size_t at = 0; at < panel.inner / kPanelDepth * rows; ++at) {
    const std::size_t first = at / rows * kPanelDepth;
    const float* scales = panel.scales + first / panel.block * kTileColumns;
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      float products = 0;
      for (std::size_t k = 0; k < kPanelDepth; ++k) {
        products += static_cast<float>(a.bytes[at * kPanelDepth + k]) *
                    WeightOf<WeightFormat::kUint4>(panel, first + k, j);
      }
      sums[at % rows * kTileColumns + j] += products * (scales[j] * a.scales[at]);
    }
  }
}

#endif

static constexpr WeightLoops kWeightLoops = {
    {WidenWeights<WeightFormat::kUint4>, WidenWeights<WeightFormat::kUint8>,
     WidenWeights<WeightFormat::kFloat8E4M3>, WidenWeights<WeightFormat::kFloat8E5M2>},
    {MultiplyRow<WeightFormat::kUint4>, MultiplyRow<WeightFormat::kUint8>,
     MultiplyRow<WeightFormat::kFloat8E4M3>, MultiplyRow<WeightFormat::kFloat8E5M2>}};

}  // namespace opledger::arithmetic
