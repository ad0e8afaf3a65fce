// Rounding, signs and selection of elementary.h. All functions but Quotient are exact.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger::arithmetic {

OPLEDGER_ELEMENTARY float Negate(float x) { return FromBits(Bits(x) ^ kSignBit); }

// NaN and zeros are returned unchanged.
OPLEDGER_ELEMENTARY float Sign(float x) {
  const float other = x < 0 ? -1.0F : x;
  return x > 0 ? 1.0F : other;
}

// All float32 values from 2^23 on are integers.
OPLEDGER_ELEMENTARY float RoundHalfEven(float x) {
  const float a = Abs(x);
  const float rounded = (a + 0x1p23F) - 0x1p23F;
  return a < 0x1p23F ? CopySign(rounded, x) : x;
}

OPLEDGER_ELEMENTARY float Trunc(float x) {
  const float a = Abs(x);
  const float rounded = (a + 0x1p23F) - 0x1p23F;
  const float toward_zero = rounded > a ? rounded - 1 : rounded;
  return a < 0x1p23F ? CopySign(toward_zero, x) : x;
}

OPLEDGER_ELEMENTARY float RoundHalfAway(float x) {
  const float truncated = Trunc(x);
  const float next = truncated + CopySign(1, x);
  return Abs(x - truncated) >= 0.5F ? next : truncated;
}

OPLEDGER_ELEMENTARY float Floor(float x) {
  const float rounded = RoundHalfEven(x);
  return rounded > x ? rounded - 1 : rounded;
}

OPLEDGER_ELEMENTARY float Ceil(float x) { return Negate(Floor(Negate(x))); }

// IEEE 754-2019 minimum and maximum: NaN if either argument is NaN; -0 is less than +0.
OPLEDGER_ELEMENTARY float Minimum(float x, float y) {
  const float equal = FromBits(Bits(x) | Bits(y));  // two zeros: -0 if either is
  const float ordered = x < y ? x : y;
  const float result = x == y ? equal : ordered;
  return x != x || y != y ? kNan : result;
}

OPLEDGER_ELEMENTARY float Maximum(float x, float y) {
  const float equal = FromBits(Bits(x) & Bits(y));
  const float ordered = x > y ? x : y;
  const float result = x == y ? equal : ordered;
  return x != x || y != y ? kNan : result;
}

// x / divisor, rounded to nearest, for many x. `inverse` is 1 / divisor; divisor is between 1 and
// 2^40; x is 0, or between 2^-60 and 2^60. The quotient is refined twice by its exact remainder,
// which makes it correctly rounded (Markstein, 1990).
OPLEDGER_ELEMENTARY float Quotient(float x, float divisor, float inverse) {
  const float first = x * inverse;
  const float second = Fma(Fma(-divisor, first, x), inverse, first);
  return Fma(Fma(-divisor, second, x), inverse, second);
}
// Returns whether x >= 0 is too small for Quotient.
OPLEDGER_ELEMENTARY bool IsTooSmallForQuotient(float x) { return Bits(x) - 1 < Bits(0x1p-60F) - 1; }

}  // namespace opledger::arithmetic
