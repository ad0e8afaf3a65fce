// Converts one float32 to float16 or bfloat16 and back by integer arithmetic. Faster casts must
// match it bit by bit. Has no branches, so that loops are vectorized. Also compiles as GPU device
// code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define OPLEDGER_CAST static __host__ __device__ __forceinline__
#else
#define OPLEDGER_CAST static inline __attribute__((always_inline))
#endif

namespace opledger {

// Rounds to nearest, ties to even. A NaN becomes quiet and keeps the upper bits of its payload.
OPLEDGER_CAST std::uint16_t ToFloat16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Normal: subtract the difference of the exponent biases, add half a unit less the tie bit.
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1)) >> 13;
  // Subnormal: adding 0.5 rounds to a multiple of 2^-24.
  const float sum = __builtin_bit_cast(float, magnitude) + 0.5F;
  const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, sum) - 0x3f000000U;
  const std::uint32_t nan = 0x7e00U | (magnitude >> 13 & 0x3ffU);
  std::uint32_t half = magnitude < 0x38800000U ? subnormal : normal;
  half = magnitude >= 0x47800000U ? 0x7c00U : half;  // 65536 and above
  half = magnitude > 0x7f800000U ? nan : half;
  return static_cast<std::uint16_t>(bits >> 16 & 0x8000U) | static_cast<std::uint16_t>(half);
}

OPLEDGER_CAST std::uint16_t ToBfloat16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1)) >> 16;
  const std::uint32_t nan = bits >> 16 | 0x40U;
  return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? nan : rounded);
}

// Exact. A NaN becomes quiet and keeps its payload, as in the processor's instruction.
OPLEDGER_CAST float FromFloat16(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t normal = (magnitude << 13) + 0x38000000U;
  // 2^-24 times an integer.
  const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
  const std::uint32_t nan = magnitude << 13 | 0x7fc00000U;
  std::uint32_t bits = magnitude < 0x400U ? __builtin_bit_cast(std::uint32_t, small) : normal;
  bits = magnitude >= 0x7c00U ? 0x7f800000U : bits;
  bits = magnitude > 0x7c00U ? nan : bits;
  return __builtin_bit_cast(float, sign | bits);
}

// Exact: the bits are the upper half.
OPLEDGER_CAST float FromBfloat16(std::uint16_t half) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(half) << 16);
}

}  // namespace opledger
