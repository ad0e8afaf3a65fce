// Sin, Cos, Tan of elementary.h. Arguments up to kFastAngle are reduced in float32, larger ones in
// integers (large_angle.h). Each method is a separate function, so that loops over arrays can
// handle large arguments in a second pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/large_angle.h"

namespace opledger::arithmetic {

// Up to this angle, the multiple of pi/2 is exact in every step that cancels.
constexpr float kFastAngle = 65536.0F;

// Requires 0 <= a <= kFastAngle; otherwise the angle is unspecified.
OPLEDGER_ELEMENTARY Angle ReduceFast(float a) {
  const float shifted = Fma(a, 0x1.45f306p-1F, kRounder);
  const float k = shifted - kRounder;
  float rest = Fma(k, -kHalfPi, a);
  rest = Fma(k, -kHalfPiLow, rest);
  rest = Fma(k, -kHalfPiLowest, rest);
  return {rest, Bits(shifted)};
}

// Minimax on |r| < 0.8, 2^-32.5 of the result.
OPLEDGER_ELEMENTARY float SinNearZero(float r) {
  const float z = r * r;
  const float p = Horner(z, 0x1.7a8aa6p-19F, -0x1.a053fap-13F, 0x1.11117p-7F, -0x1.555556p-3F);
  return Fma(p, z * r, r);
}

// Minimax on |r| < 0.8, 2^-32.6.
OPLEDGER_ELEMENTARY float CosNearZero(float r) {
  const float z = r * r;
  const float p = Horner(z, 0x1.99911cp-16F, -0x1.6c0af4p-10F, 0x1.555548p-5F);
  return Fma(p, z * z, Fma(-0.5F, z, 1));
}

// Returns the sine of `angle` rotated by `turn` quadrants, its sign changed by the sign bit `sign`.
OPLEDGER_ELEMENTARY float SinOfAngle(Angle angle, std::uint32_t turn, std::uint32_t sign) {
  const std::uint32_t quadrant = angle.quadrant + turn;
  const float magnitude =
      (quadrant & 1) != 0 ? CosNearZero(angle.radians) : SinNearZero(angle.radians);
  return FromBits(Bits(magnitude) ^ ((quadrant & 2) << 30) ^ sign);
}

OPLEDGER_ELEMENTARY float TanOfAngle(Angle angle, std::uint32_t sign) {
  const float sine = SinNearZero(angle.radians);
  const float cosine = CosNearZero(angle.radians);
  const bool odd = (angle.quadrant & 1) != 0;
  const float ratio = (odd ? -cosine : sine) / (odd ? sine : cosine);
  return FromBits(Bits(ratio) ^ sign);
}

OPLEDGER_ELEMENTARY float SinFast(float x) {
  return SinOfAngle(ReduceFast(Abs(x)), 0, Bits(x) & kSignBit);
}
OPLEDGER_ELEMENTARY float CosFast(float x) { return SinOfAngle(ReduceFast(Abs(x)), 1, 0); }
OPLEDGER_ELEMENTARY float TanFast(float x) {
  return TanOfAngle(ReduceFast(Abs(x)), Bits(x) & kSignBit);
}

OPLEDGER_ELEMENTARY float Sin(float x) {
  if (!(Abs(x) > kFastAngle)) return SinFast(x);
  if (Abs(x) == kInfinity) return kNan;
  return SinOfAngle(ReduceLarge(Abs(x)), 0, Bits(x) & kSignBit);
}
OPLEDGER_ELEMENTARY float Cos(float x) {
  if (!(Abs(x) > kFastAngle)) return CosFast(x);
  if (Abs(x) == kInfinity) return kNan;
  return SinOfAngle(ReduceLarge(Abs(x)), 1, 0);
}
OPLEDGER_ELEMENTARY float Tan(float x) {
  if (!(Abs(x) > kFastAngle)) return TanFast(x);
  if (Abs(x) == kInfinity) return kNan;
  return TanOfAngle(ReduceLarge(Abs(x)), Bits(x) & kSignBit);
}

}  // namespace opledger::arithmetic
