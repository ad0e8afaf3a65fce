// Shared parts of vector kernels: kernels that process rows of float32 with vector instructions, in
// parallel, and give the same bits as the reference. In: an offset in a tensor; out: a row of
// float32, converted from the tensor's type. Also strided rows, transposes, window positions.
// May include: kernels/arithmetic/loops, kernels/cpu/window, kernels/kernel, kernels/machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/kernel.h"
#include "kernels/machine/parallel.h"

// The types of those kernels. A macro, since the scanner reads registrations as written.
#define OPLEDGER_VECTOR_FLOATS \
  { Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16 }

namespace opledger {

inline constexpr std::size_t kTileSize = 4096;   // elements: 16 KB of float32
inline constexpr std::size_t kPartSize = 65536;  // elements; with fewer, a thread does not pay

inline bool IsByte(Dtype dtype) { return dtype == Dtype::kInt8 || dtype == Dtype::kUint8; }

// The bytes of a type of 8 bits, around a zero point.
inline arithmetic::ByteRange BytesOf(Dtype dtype, float zero) {
  return dtype == Dtype::kInt8 ? arithmetic::ByteRange{zero, -128, 127}
                               : arithmetic::ByteRange{zero, 0, 255};
}

// out = (bytes - zero) * scale, for n elements of int8 or uint8.
inline void DequantizeRow(Dtype dtype, const std::uint8_t* bytes, float scale, float zero,
                          float* out, std::size_t n) {
  arithmetic::Rows().dequantise[dtype == Dtype::kInt8 ? 1 : 0](bytes, scale, zero, out, n);
}

// Returns elements `at` to `at` + n of a tensor, in place or as float32 in `buffer`: of float32,
// float16, bfloat16, int8, uint8, or int32, which is rounded.
inline const float* LoadRow(Dtype dtype, const void* data, std::size_t at, std::size_t n,
                            float* buffer) {
  if (dtype == Dtype::kFloat32) return static_cast<const float*>(data) + at;
  if (IsByte(dtype)) {
    DequantizeRow(dtype, static_cast<const std::uint8_t*>(data) + at, 1, 0, buffer, n);
  } else if (dtype == Dtype::kInt32) {
    arithmetic::Rows().from_int32(static_cast<const std::int32_t*>(data) + at, buffer, n);
  } else {
    arithmetic::Upcast(dtype, static_cast<const std::uint16_t*>(data) + at, buffer, n);
  }
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
  if (IsByte(dtype)) {
    arithmetic::Rows().quantise(row, 1, BytesOf(dtype, 0), static_cast<std::uint8_t*>(data) + at,
                                n);
  } else {
    arithmetic::Downcast(row, dtype, static_cast<std::uint16_t*>(data) + at, n);
  }
}

}  // namespace opledger
