// Sinh, Cosh, Tanh, Asinh, Acosh, Atanh of elementary.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/exponential.h"
#include "kernels/arithmetic/elementary/logarithm.h"

namespace opledger::arithmetic {

// e^x / 2, which does not overflow as early as e^x.
OPLEDGER_ELEMENTARY float HalfExp(float x) {
  const Scaled exp = ExpParts(x, -0.0F);
  return Value({exp.mantissa, exp.exponent - 1});
}

OPLEDGER_ELEMENTARY float Sinh(float x) {
  const float a = Abs(x);
  const float z = a * a;
  // Minimax on |x| < 1, 2^-31.6 of the result.
  const float small =
      Fma(Horner(z, 0x1.756c1ep-19F, 0x1.a022bcp-13F, 0x1.1110ep-7F, 0x1.555556p-3F), z * a, a);
  const float half = HalfExp(a);
  return CopySign(a < 1 ? small : half - 0.25F / half, x);
}

OPLEDGER_ELEMENTARY float Cosh(float x) {
  const float half = HalfExp(Abs(x));
  return half + 0.25F / half;
}

OPLEDGER_ELEMENTARY float Tanh(float x) {
  const float a = Abs(x);
  const float z = a * a;
  // Minimax on |x| < 0.65, 2^-31.4 of the result.
  const float small = Fma(Horner(z, 0x1.078ad6p-9F, -0x1.071316p-7F, 0x1.62873ep-6F,
                                 -0x1.b9d632p-5F, 0x1.110fe8p-3F, -0x1.555552p-2F),
                          z * a, a);
  const float large = 1 - 2 / (Exp(2 * (a > 10 ? 10.0F : a)) + 1);
  return CopySign(a < 0.65F ? small : large, x);
}

// log(a + sqrt(a^2 + 1)), a = |x|.
OPLEDGER_ELEMENTARY float Asinh(float x) {
  const float a = Abs(x);
  const float small = Log1p(a + a * a / (1 + __builtin_sqrtf(Fma(a, a, 1))));
  const LogArgument parts = SplitForLog(a);
  const float large = LogSpecial(a, LogOfParts(parts.fraction, -0.0F, parts.exponent + 1));
  return CopySign(a < 0x1p12F ? small : large, x);
}

OPLEDGER_ELEMENTARY float Acosh(float x) {
  const float t = x - 1;
  const float small = Log1p(t + __builtin_sqrtf(Fma(t, t, 2 * t)));
  const LogArgument parts = SplitForLog(x);
  const float large = LogSpecial(x, LogOfParts(parts.fraction, -0.0F, parts.exponent + 1));
  const float result = x < 0x1p13F ? small : large;
  return x < 1 ? kNan : result;
}

OPLEDGER_ELEMENTARY float Atanh(float x) {
  const float a = Abs(x);
  return CopySign(0.5F * Log1p(2 * a / (1 - a)), x);
}

}  // namespace opledger::arithmetic
