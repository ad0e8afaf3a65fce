// Reduces angles that are too large for float32 steps: multiplies the mantissa by the relevant bits
// of 2/pi in integers (Payne and Hanek's method).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger::arithmetic {

// pi/2: 24 bits, the next 24, and the next.
constexpr float kHalfPi = 0x1.921fb6p+0F;
constexpr float kHalfPiLow = -0x1.777a5cp-25F;
constexpr float kHalfPiLowest = -0x1.ee59dap-50F;

// quadrant * pi/2 + radians; only the last two bits of the quadrant count. |radians| is at most
// slightly above pi/4, with a relative error of about 2^-24 even if the angle is close to a
// multiple of pi/2.
struct Angle {
  float radians;
  std::uint32_t quadrant;
};

// 32 bits of 2/pi from bit `first` on; bit 1 has the weight 1/2. -31 <= first <= 192.
OPLEDGER_ELEMENTARY std::uint64_t BitsOfTwoOverPi(std::int32_t first) {
  const std::uint32_t words[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                  0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  const auto bit = static_cast<std::uint32_t>(first + 31);
  const std::uint64_t both =
      static_cast<std::uint64_t>(words[bit / 32]) << 32 | words[bit / 32 + 1];
  return both << (bit % 32) >> 32;
}

// Requires a finite a >= 2^16.
OPLEDGER_ELEMENTARY Angle ReduceLarge(float a) {
  const std::uint32_t bits = Bits(a);
  const std::uint64_t mantissa = (bits & 0x7fffffU) | 0x800000U;
  // a = mantissa * 2^shift. Bits of 2/pi before `first` contribute multiples of 4 quadrants.
  const std::int32_t shift = static_cast<std::int32_t>(bits >> 23) - 150;
  const std::int32_t first = shift - 1;
  // In units of 2^-62 quadrants, mod 2^64: the product with 96 bits of 2/pi, without its last 32
  // bits.
  const std::uint64_t product = ((mantissa * BitsOfTwoOverPi(first)) << 32) +
                                mantissa * BitsOfTwoOverPi(first + 32) +
                                ((mantissa * BitsOfTwoOverPi(first + 64)) >> 32);
  // The nearest multiple, and the remaining fraction of a quadrant in [-1/2, 1/2), times 2^64.
  const auto quadrant = static_cast<std::uint32_t>((product >> 62) + (product >> 61 & 1));
  const auto share = static_cast<std::int64_t>(product << 2);
  const auto near = static_cast<float>(share);
  // The largest fractions round to 2^63, which int64 cannot hold.
  const std::uint64_t rest_bits =
      static_cast<std::uint64_t>(share) -
      static_cast<std::uint64_t>(static_cast<std::int64_t>(near * 0.5F)) * 2;
  const auto rest = static_cast<float>(static_cast<std::int64_t>(rest_bits));
  const float high = near * kHalfPi;
  const float low = Fma(near, kHalfPi, -high) + Fma(near, kHalfPiLow, rest * kHalfPi);
  return {(high + low) * 0x1p-64F, quadrant};
}

}  // namespace opledger::arithmetic
