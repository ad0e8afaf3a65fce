// Shared parts of vector kernels: kernels that process rows of float32 with vector instructions, in
// parallel, and give the same bits as the reference. In: an offset in a tensor; out: a row of
// float32, converted from 16-bit types. Also strided rows, matrix transposes, window positions.
// May include: kernels/arithmetic/loops, kernels/cpu/window, kernels/kernel, kernels/machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "kernels/machine/parallel.h"

// The types of those kernels. A macro, since the scanner reads registrations as written.
#define OPLEDGER_VECTOR_FLOATS \
  { Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16 }

namespace opledger {

inline constexpr std::size_t kTileSize = 4096;   // elements: 16 KB of float32
inline constexpr std::size_t kPartSize = 65536;  // elements; with fewer, a thread does not pay

// Returns elements `at` to `at` + n of a tensor, in place or upcast into `buffer`.
inline const float* LoadRow(Dtype dtype, const void* data, std::size_t at, std::size_t n,
                            float* buffer) {
  if (dtype == Dtype::kFloat32) return static_cast<const float*>(data) + at;
  const auto* numbers = static_cast<const std::uint16_t*>(data) + at;
  arithmetic::Upcast(dtype, numbers, buffer, n);
  return buffer;
}

inline float LoadNumber(Dtype dtype, const void* data, std::size_t at) {
  float buffer = 0;
  return *LoadRow(dtype, data, at, 1, &buffer);
}

// For few elements, for which a call of memcpy would dominate.
template <std::size_t kSome>
void CopyInBlocks(const float* from, float* to, std::size_t count) {
  for (std::size_t at = 0; at + kSome <= count; at += kSome) {
    std::memcpy(to + at, from + at, kSome * sizeof(float));
  }
  // The remainder, overlapping the last block.
  std::memcpy(to + count - kSome, from + count - kSome, kSome * sizeof(float));
}
inline void CopyFew(const float* from, float* to, std::size_t count) {
  if (count >= 16) return CopyInBlocks<16>(from, to, count);
  if (count >= 4) return CopyInBlocks<4>(from, to, count);
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

// Returns where to compute elements `at` to `at` + n of a result; StoreRow stores them there.
inline float* ResultRow(Dtype dtype, void* data, std::size_t at, float* buffer) {
  return dtype == Dtype::kFloat32 ? static_cast<float*>(data) + at : buffer;
}
inline void StoreRow(Dtype dtype, const float* row, void* data, std::size_t at, std::size_t n) {
  if (dtype == Dtype::kFloat32) return;
  arithmetic::Downcast(row, dtype, static_cast<std::uint16_t*>(data) + at, n);
}

}  // namespace opledger
