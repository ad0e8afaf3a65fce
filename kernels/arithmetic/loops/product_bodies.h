// Loops of products: tiles of sums that stay in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"
#include "kernels/arithmetic/loops/loops.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define OPLEDGER_UNROLLED _Pragma("unroll")
#else
#define OPLEDGER_UNROLLED _Pragma("GCC unroll 16")
#endif

namespace opledger::arithmetic {

#if defined(__AVX512F__)
using Lanes = __m512;
static constexpr std::size_t kTileRows = 14;
static inline Lanes SumWithProduct(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
static inline Lanes LoadLanes(const float* from) { return _mm512_loadu_ps(from); }
static inline void StoreLanes(float* to, Lanes lanes) { _mm512_storeu_ps(to, lanes); }
static inline Lanes AllLanes(float x) { return _mm512_set1_ps(x); }
static inline float OneSum(float a, float b, float c) { return Fma(a, b, c); }
#elif defined(__AVX2__)
using Lanes = __m256;
static constexpr std::size_t kTileRows = 6;
static inline Lanes SumWithProduct(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }
static inline Lanes LoadLanes(const float* from) { return _mm256_loadu_ps(from); }
static inline void StoreLanes(float* to, Lanes lanes) { _mm256_storeu_ps(to, lanes); }
static inline Lanes AllLanes(float x) { return _mm256_set1_ps(x); }
static inline float OneSum(float a, float b, float c) { return Fma(a, b, c); }
#else
using Lanes = float __attribute__((vector_size(16)));
static constexpr std::size_t kTileRows = 4;
static inline Lanes SumWithProduct(Lanes a, Lanes b, Lanes c) { return a * b + c; }
static inline Lanes LoadLanes(const float* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}
static inline void StoreLanes(float* to, Lanes lanes) {
  __builtin_memcpy(to, &lanes, sizeof(lanes));
}
static inline Lanes AllLanes(float x) { return Lanes{x, x, x, x}; }
static inline float OneSum(float a, float b, float c) { return a * b + c; }
#endif

static constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
static constexpr std::size_t kTileColumns = 2 * kLanes;

template <std::size_t kRows, std::size_t kVectors>
static void MultiplyTile(std::size_t depth, const float* a, const float* b, float* c,
                         std::size_t c_step, bool adds) {
  Lanes sums[kRows][kVectors];
  OPLEDGER_UNROLLED
  for (std::size_t i = 0; i < kRows; ++i) {
    OPLEDGER_UNROLLED
    for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] = AllLanes(0);
  }
  if (adds) {
    OPLEDGER_UNROLLED
    for (std::size_t i = 0; i < kRows; ++i) {
      OPLEDGER_UNROLLED
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[i][v] = LoadLanes(c + i * c_step + v * kLanes);
      }
    }
  }
  for (std::size_t k = 0; k < depth; ++k, ++a, b += kTileColumns) {
    Lanes row[kVectors];
    OPLEDGER_UNROLLED
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = LoadLanes(b + v * kLanes);
    OPLEDGER_UNROLLED
    for (std::size_t i = 0; i < kRows; ++i) {
      const Lanes factor = AllLanes(a[i * kProductRowStep]);
      OPLEDGER_UNROLLED
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[i][v] = SumWithProduct(factor, row[v], sums[i][v]);
      }
    }
  }
  OPLEDGER_UNROLLED
  for (std::size_t i = 0; i < kRows; ++i) {
    OPLEDGER_UNROLLED
    for (std::size_t v = 0; v < kVectors; ++v) {
      StoreLanes(c + i * c_step + v * kLanes, sums[i][v]);
    }
  }
}

template <std::size_t kVectors>
static inline void SumByChannel(std::size_t taps, const float* const* in, const float* weights,
                                std::size_t step, std::size_t at, float* out) {
  Lanes sums[kVectors];
  OPLEDGER_UNROLLED
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = AllLanes(0);
  for (std::size_t tap = 0; tap < taps; ++tap) {
    OPLEDGER_UNROLLED
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = SumWithProduct(LoadLanes(in[tap] + at + v * kLanes),
                               LoadLanes(weights + tap * step + at + v * kLanes), sums[v]);
    }
  }
  OPLEDGER_UNROLLED
  for (std::size_t v = 0; v < kVectors; ++v) StoreLanes(out + at + v * kLanes, sums[v]);
}

static void MultiplyByChannel(std::size_t taps, const float* const* in, const float* weights,
                              std::size_t step, float* out, std::size_t n) {
  std::size_t at = 0;
  for (; at + 4 * kLanes <= n; at += 4 * kLanes) {
    SumByChannel<4>(taps, in, weights, step, at, out);
  }
  for (; at + kLanes <= n; at += kLanes) SumByChannel<1>(taps, in, weights, step, at, out);
  for (; at < n; ++at) {
    float sum = 0;
    for (std::size_t tap = 0; tap < taps; ++tap) {
      sum = OneSum(in[tap][at], weights[tap * step + at], sum);
    }
    out[at] = sum;
  }
}

#define OPLEDGER_TILE(rows) \
  { MultiplyTile<rows, 1>, MultiplyTile<rows, 2> }
static constexpr ProductLoops kProductLoops = {
    kTileRows,
    kTileColumns,
    {OPLEDGER_TILE(1), OPLEDGER_TILE(2), OPLEDGER_TILE(3), OPLEDGER_TILE(4),
#if defined(__AVX2__)
     OPLEDGER_TILE(5), OPLEDGER_TILE(6),
#endif
#if defined(__AVX512F__)
     OPLEDGER_TILE(7), OPLEDGER_TILE(8), OPLEDGER_TILE(9), OPLEDGER_TILE(10), OPLEDGER_TILE(11),
     OPLEDGER_TILE(12), OPLEDGER_TILE(13), OPLEDGER_TILE(14)
#endif
    },
    MultiplyByChannel};

}  // namespace opledger::arithmetic
