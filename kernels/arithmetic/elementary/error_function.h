// Erf and Erfc of elementary.h, and the parts of them that the normal distribution needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/exponential.h"

namespace opledger::arithmetic {

// e^(a^2) erfc(a) for 0 <= a <= 10.3: multiplied by (1 + 2 a), it is a smooth function of (a - 2) /
// (a + 2). Minimax, 2^-26.3.
OPLEDGER_ELEMENTARY float ScaledErfc(float a) {
  const float t = (a - 2) / (a + 2);
  const float p = Horner(t, 0x1.4d965cp-14F, 0x1.63d9f2p-13F, -0x1.a40b98p-12F, -0x1.74809ep-10F,
                         0x1.485544p-10F, 0x1.1d6156p-7F, -0x1.072736p-7F, -0x1.bc2704p-5F,
                         0x1.4ff9fcp-3F, -0x1.5407dp-3F, -0x1.7bf5eap-4F, 0x1.46e80ep+0F);
  return p / Fma(2, a, 1);
}

// erfc(a) for a >= 0.
OPLEDGER_ELEMENTARY Scaled ErfcParts(float a) {
  a = a > 12 ? 12.0F : a;
  const float square = a * a;
  const Scaled exp = ExpParts(-square, -Fma(a, a, -square));
  return {exp.mantissa * ScaledErfc(a), exp.exponent};
}

// erf(a) for 0 <= a < 0.9.
OPLEDGER_ELEMENTARY float ErfNearZero(float a) {
  const float z = a * a;
  // Minimax, 2^-29.9 of the result.
  return Fma(Horner(z, 0x1.57379cp-14F, -0x1.a8093ep-11F, 0x1.54772ap-8F, -0x1.b80446p-6F,
                    0x1.ce2d76p-4F, -0x1.81274p-2F, 0x1.06eba8p-3F),
             a, a);
}

OPLEDGER_ELEMENTARY float Erf(float x) {
  const float a = Abs(x);
  const float large = 1 - Value(ErfcParts(a));
  return CopySign(a < 0.9F ? ErfNearZero(a) : large, x);
}

OPLEDGER_ELEMENTARY float Erfc(float x) {
  const float a = Abs(x);
  const float tail = Value(ErfcParts(a));
  const float far = x < 0 ? 2 - tail : tail;
  return a < 0.5F ? 1 - CopySign(ErfNearZero(a), x) : far;
}

// Returns the upper tail of the standard normal distribution at y >= 0: erfc(y / sqrt(2)) / 2.
OPLEDGER_ELEMENTARY Scaled NormalTailParts(float y) {
  y = y > 18 ? 18.0F : y;
  const float square = y * y;
  const Scaled exp = ExpParts(-0.5F * square, -0.5F * Fma(y, y, -square));
  return {exp.mantissa * ScaledErfc(y * 0x1.6a09e6p-1F), exp.exponent - 1};
}

}  // namespace opledger::arithmetic
