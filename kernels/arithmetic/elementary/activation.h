// Activation functions of elementary.h. Results for negative arguments stay relatively accurate
// down to the smallest ones: e^x is kept as a mantissa and an exponent, which are combined last.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/error_function.h"
#include "kernels/arithmetic/elementary/exponential.h"
#include "kernels/arithmetic/elementary/logarithm.h"

namespace opledger::arithmetic {

OPLEDGER_ELEMENTARY float Relu(float x) { return x > 0 ? x : x != x ? x : 0.0F; }

OPLEDGER_ELEMENTARY float Softsign(float x) { return x / (1 + Abs(x)); }

// x / (1 + e) for 0 <= e <= 1; the sum is not rounded.
OPLEDGER_ELEMENTARY float OverOnePlus(float x, float e) {
  const float sum = 1 + e;
  const float inverse = 1 / sum;
  const float quotient = x * inverse;
  const float residual = Fma(-quotient, e - (sum - 1), Fma(-quotient, sum, x));
  return Fma(residual, inverse, quotient);
}

// 1 / (1 + e^-x).
OPLEDGER_ELEMENTARY float Sigmoid(float x) {
  const Scaled exp = ExpParts(-Abs(x), -0.0F);
  const float ratio = OverOnePlus(x < 0 ? exp.mantissa : 1.0F, Value(exp));
  return x < 0 ? Value({ratio, exp.exponent}) : ratio;
}

// log(1 + e^x).
OPLEDGER_ELEMENTARY float Softplus(float x) { return (x > 0 ? x : 0.0F) + Log1p(Exp(-Abs(x))); }

OPLEDGER_ELEMENTARY float LogSigmoid(float x) { return -Softplus(-x); }

// x / (1 + e^-x).
OPLEDGER_ELEMENTARY float Silu(float x) {
  const Scaled exp = ExpParts(-Abs(x), -0.0F);
  const float ratio = OverOnePlus(x < 0 ? exp.mantissa : 1.0F, Value(exp));
  const float cut = x < -150 ? -150.0F : x;  // avoids infinity times 0
  return x < 0 ? Value({cut * ratio, exp.exponent}) : x * ratio;
}

// x tanh(log(1 + e^x)); with e = e^-|x| that is, by the sign of x,
// x (1 + 2e) / (1 + 2e + 2e^2) and x e (e + 2) / (e (e + 2) + 2).
OPLEDGER_ELEMENTARY float Mish(float x) {
  const Scaled exp = ExpParts(-Abs(x), -0.0F);
  const float e = Value(exp);
  const float numerator = Fma(2, e, 1);
  const float above = x * (numerator / Fma(2 * e, e, numerator));
  const float cut = x < -150 ? -150.0F : x;
  const float product = exp.mantissa * ((e + 2) / Fma(e, e + 2, 2));
  const float below = Value({cut * product, exp.exponent});
  return x < 0 ? below : above;
}

// x times the standard normal distribution function of x.
OPLEDGER_ELEMENTARY float GeluErf(float x) {
  // (The distribution function of x, minus 1/2) / x. Minimax on |x| < 1; error 2^-30.8 of the
  // function, apart from the rounding of the coefficients.
  const float z = x * x;
  const float slope = Horner(z, -0x1.f3a178p-18F, 0x1.d98f06p-14F, -0x1.36d5a8p-10F, 0x1.46cc16p-7F,
                             -0x1.105824p-4F, 0x1.988454p-2F);
  const float near = x * Fma(slope, x, 0.5F);
  const Scaled tail = NormalTailParts(Abs(x));
  const float above = x * (1 - Value(tail));
  const float cut = x < -18 ? -18.0F : x;
  const float below = Value({cut * tail.mantissa, tail.exponent});
  const float far = x < 0 ? below : above;
  return Abs(x) < 0.75F ? near : far;
}

// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) = x / (1 + e^-w), where w is twice the argument
// of tanh. w needs twice the precision of float32, since e^-w magnifies its error up to a
// hundredfold.
OPLEDGER_ELEMENTARY float GeluTanh(float x) {
  constexpr float kLinear = 0x1.988454p+0F;  // 2 sqrt(2/pi), 24 bits and the next
  constexpr float kLinearRest = -0x1.857936p-25F;
  constexpr float kCubic = 0x1.2444f2p-4F;  // 0.044715 times that
  constexpr float kCubicRest = 0x1.49b16ap-29F;
  const float a = Abs(x) > 13 ? 13.0F : Abs(x);
  const float square = a * a;
  const float square_rest = Fma(a, a, -square);
  const float cubic = kCubic * square;
  const float cubic_rest =
      Fma(kCubic, square_rest, Fma(kCubicRest, square, Fma(kCubic, square, -cubic)));
  const float sum = kLinear + cubic;
  const float part = sum - kLinear;
  const float sum_rest = (kLinear - (sum - part)) + (cubic - part) + (cubic_rest + kLinearRest);
  const float w = a * sum;
  const float w_rest = Fma(a, sum_rest, Fma(a, sum, -w));
  const Scaled exp = ExpParts(-w, -w_rest);
  const float divisor = 1 + Value(exp);
  const float above = x / divisor;
  const float below = Value({-a * (exp.mantissa / divisor), exp.exponent});
  return x < 0 ? below : above;
}

}  // namespace opledger::arithmetic
