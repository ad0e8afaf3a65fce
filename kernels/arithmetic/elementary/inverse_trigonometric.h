// Asin, Acos, Atan of elementary.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/large_angle.h"

namespace opledger::arithmetic {

// asin(s) / s - 1 for s^2 = z <= 1/4. Minimax, 2^-31.6.
OPLEDGER_ELEMENTARY float AsinTail(float z) {
  return z * Horner(z, 0x1.34b6ap-5F, 0x1.d53a2ap-7F, 0x1.04d24ap-5F, 0x1.6ca758p-5F,
                    0x1.3338acp-4F, 0x1.55554cp-3F);
}

OPLEDGER_ELEMENTARY float Asin(float x) {
  const float a = Abs(x);
  const bool small = a < 0.5F;
  // asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)); the square is exact.
  const float z = small ? a * a : 0.5F - 0.5F * a;
  const float s = small ? a : __builtin_sqrtf(z);
  const float tail = AsinTail(z);
  const float near = Fma(s, tail, s);
  // The first of the two differences is exact if the result is small.
  const float far = (kHalfPi - 2 * s) - Fma(2 * s, tail, -kHalfPiLow);
  return CopySign(small ? near : far, x);
}

OPLEDGER_ELEMENTARY float Acos(float x) {
  const float a = Abs(x);
  const bool small = a < 0.5F;
  const float z = small ? a * a : 0.5F - 0.5F * a;
  const float s = small ? x : __builtin_sqrtf(z);
  const float tail = AsinTail(z);
  const float near = kHalfPi - (s - Fma(-s, tail, kHalfPiLow));
  const float end = 2 * Fma(s, tail, s);
  const float far = 2 * kHalfPi - (end - 2 * kHalfPiLow);
  const float at_ends = x < 0 ? far : end;
  return small ? near : at_ends;
}

OPLEDGER_ELEMENTARY float Atan(float x) {
  const float a = Abs(x);
  const bool large = a > 1;
  const float s = large ? 1 / a : a;
  const float z = s * s;
  // Minimax on [0, 1], 2^-28.5 of the result.
  const float p =
      Horner(z, -0x1.d50fdap-10F, 0x1.64fad0p-7F, -0x1.fe26f8p-6F, 0x1.da6ea2p-5F, -0x1.581826p-4F,
             0x1.c08faap-4F, -0x1.2420acp-3F, 0x1.9991e4p-3F, -0x1.55553ep-2F);
  const float near = Fma(p, z * s, s);
  return CopySign(large ? kHalfPi - (near - kHalfPiLow) : near, x);
}

}  // namespace opledger::arithmetic
