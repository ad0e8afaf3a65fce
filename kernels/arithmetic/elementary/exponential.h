// Exp, Exp2 and Expm1 of elementary.h, and ExpParts, on which other functions are built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger::arithmetic {

constexpr float kLog2E = 0x1.715476p+0F;
// ln 2 rounded to 24 bits, and the difference to ln 2.
constexpr float kLn2 = 0x1.62e43p-1F;
constexpr float kLn2Rest = -0x1.05c61p-29F;

// e^r for |r| <= 0.35. A minimax polynomial with a relative error of 2^-28.1.
OPLEDGER_ELEMENTARY float ExpNearZero(float r) {
  const float q =
      Horner(r, 0x1.6afe12p-10F, 0x1.124492p-7F, 0x1.555826p-5F, 0x1.555482p-3F, 0x1.fffffcp-2F);
  return 1 + Fma(q, r * r, r);
}

// e^(x + rest), where |rest| is at most one unit in the last place of x. x is clamped to [-150,
// 130], outside of which every caller's result rounds to 0 or infinity.
OPLEDGER_ELEMENTARY Scaled ExpParts(float x, float rest) {
  x = x < -150.0F ? -150.0F : x;
  x = x > 130.0F ? 130.0F : x;
  const float shifted = Fma(x, kLog2E, kRounder);
  const float k = shifted - kRounder;
  const float r = Fma(k, -kLn2Rest, Fma(k, -kLn2, x)) + rest;
  return {ExpNearZero(r), static_cast<std::int32_t>(Bits(shifted) - kRounderBits)};
}

OPLEDGER_ELEMENTARY float Exp(float x) { return Value(ExpParts(x, -0.0F)); }

// The same bits as Exp for -150 <= x <= 0, in fewer steps.
OPLEDGER_ELEMENTARY float ExpNotAbove0(float x) {
  const float shifted = Fma(x, kLog2E, kRounder);
  const float k = shifted - kRounder;
  const float power = ExpNearZero(Fma(k, -kLn2Rest, Fma(k, -kLn2, x)));
  // 2^100 times the result is a normal number, so that the last product is the only rounding.
  const std::uint32_t exponent = Bits(shifted) - kRounderBits + 100;
  return FromBits(Bits(power) + (exponent << 23)) * 0x1p-100F;
}

OPLEDGER_ELEMENTARY float Exp2(float x) {
  x = x < -200.0F ? -200.0F : x;
  x = x > 200.0F ? 200.0F : x;
  const float shifted = x + kRounder;
  const float part = x - (shifted - kRounder);  // exact
  const float r = part * kLn2;
  const float rest = Fma(part, kLn2Rest, Fma(part, kLn2, -r));
  return Value({ExpNearZero(r + rest), static_cast<std::int32_t>(Bits(shifted) - kRounderBits)});
}

// e^x - 1 = 2^k (e^r - 1) + (2^k - 1); the second summand is exact for 0 <= k <= 24. Computed as
// twice its half, so that 2^128 is not needed.
OPLEDGER_ELEMENTARY float Expm1(float x) {
  float cut = x < -20.0F ? -20.0F : x;
  cut = cut > 89.0F ? 89.0F : cut;  // k is 128
  const float shifted = Fma(cut, kLog2E, kRounder);
  const float k = shifted - kRounder;
  const float r = Fma(k, -kLn2Rest, Fma(k, -kLn2, cut));
  // A minimax polynomial with an error of 2^-30.9, relative to the result.
  const float q = Horner(r, 0x1.9c9e16p-13F, 0x1.6d525cp-10F, 0x1.111398p-7F, 0x1.5554e6p-5F,
                         0x1.555554p-3F, 0.5F);
  const float near_zero = Fma(q, r * r, r);
  const float scale = PowerOfTwo(static_cast<std::int32_t>(Bits(shifted) - kRounderBits) - 1);
  const float far = 2 * Fma(near_zero, scale, scale - 0.5F);
  const float result = k == 0 ? near_zero : far;
  return Abs(x) < 0x1p-25F ? x : result;  // also -0
}

}  // namespace opledger::arithmetic
