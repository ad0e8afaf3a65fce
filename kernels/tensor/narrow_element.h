// Types that are stored but not computed with: 4-bit integers (two per byte, the first in the low
// bits) and 8-bit floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "registry/text/dtype.h"

namespace opledger {

constexpr bool IsFourBits(Dtype dtype) { return dtype == Dtype::kInt4 || dtype == Dtype::kUint4; }
constexpr bool IsFloat8(Dtype dtype) {
  return dtype == Dtype::kFloat8E4M3 || dtype == Dtype::kFloat8E5M2;
}

inline int FourBitsAt(const std::uint8_t* bytes, std::size_t at, bool is_signed) {
  const int bits = bytes[at / 2] >> at % 2 * 4 & 15;
  return is_signed ? (bits ^ 8) - 8 : bits;
}

// Decodes an 8-bit float. E4M3 has no infinity and one NaN of each sign; E5M2 is the high byte of
// float16.
inline float FromFloat8(std::uint8_t bits, Dtype dtype) {
  const bool is_e4m3 = dtype == Dtype::kFloat8E4M3;
  const int fraction_bits = is_e4m3 ? 3 : 2;
  const int exponent = (bits & 0x7F) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int bias = is_e4m3 ? 7 : 15;
  float magnitude =
      std::ldexp(static_cast<float>(fraction + (exponent == 0 ? 0 : 1 << fraction_bits)),
                 (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
  const bool is_nan = is_e4m3 ? (bits & 0x7F) == 0x7F : exponent == 31 && fraction != 0;
  if (is_nan) magnitude = std::numeric_limits<float>::quiet_NaN();
  if (!is_e4m3 && exponent == 31 && fraction == 0) {
    magnitude = std::numeric_limits<float>::infinity();
  }
  return bits > 0x7F ? -magnitude : magnitude;
}

// Element `at` of a 4-bit integer or 8-bit float type; float32 holds its value exactly.
inline float NarrowAt(Dtype dtype, const void* elements, std::size_t at) {
  const auto* bytes = static_cast<const std::uint8_t*>(elements);
  if (IsFourBits(dtype)) return static_cast<float>(FourBitsAt(bytes, at, dtype == Dtype::kInt4));
  return FromFloat8(bytes[at], dtype);
}

}  // namespace opledger
