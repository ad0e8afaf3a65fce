// What vector kernels share: kernels that go by rows of float32 with the machine's vector
// instructions, in threads, and give the bits of the reference. In: a place in a tensor; out: a row
// of float32, 16-bit types converted. Also strided rows, matrix transposes, windows' positions.
// May include: kernels/arithmetic/loops, kernels/cpu/window, kernels/kernel, kernels/machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "kernels/machine/parallel.h"

// Of those kernels; a macro, since the scanner reads registrations as they are written.
#define OPLEDGER_VECTOR_FLOATS \
  { Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16 }

namespace opledger {

inline constexpr std::size_t kTileSize = 4096;   // numbers: 16 KB of float32
inline constexpr std::size_t kPartSize = 65536;  // numbers below which a thread does not pay

// Numbers `at` to `at` + n of a tensor: where they are, or upcast into `buffer`.
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

// Few numbers: a call of memcpy would take longer than they do.
template <std::size_t kSome>
void CopyInBlocks(const float* from, float* to, std::size_t count) {
  for (std::size_t at = 0; at + kSome <= count; at += kSome) {
    std::memcpy(to + at, from + at, kSome * sizeof(float));
  }
  // The last ones again, with what is left.
  std::memcpy(to + count - kSome, from + count - kSome, kSome * sizeof(float));
}
inline void CopyFew(const float* from, float* to, std::size_t count) {
  if (count >= 16) return CopyInBlocks<16>(from, to, count);
  if (count >= 4) return CopyInBlocks<4>(from, to, count);
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

// Where to compute numbers `at` to `at` + n of a result, and how they get there.
inline float* ResultRow(Dtype dtype, void* data, std::size_t at, float* buffer) {
  return dtype == Dtype::kFloat32 ? static_cast<float*>(data) + at : buffer;
}
inline void StoreRow(Dtype dtype, const float* row, void* data, std::size_t at, std::size_t n) {
  if (dtype == Dtype::kFloat32) return;
  arithmetic::Downcast(row, dtype, static_cast<std::uint16_t*>(data) + at, n);
}

}  // namespace opledger
