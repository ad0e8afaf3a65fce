// Pow, Sqrt, Rsqrt, Reciprocal, Cbrt, Square, Fmod of elementary.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/exponential.h"
#include "kernels/arithmetic/elementary/logarithm.h"

namespace opledger::arithmetic {

OPLEDGER_ELEMENTARY float Square(float x) { return x * x; }
OPLEDGER_ELEMENTARY float Sqrt(float x) { return __builtin_sqrtf(x); }
OPLEDGER_ELEMENTARY float Rsqrt(float x) { return 1 / __builtin_sqrtf(x); }
OPLEDGER_ELEMENTARY float Reciprocal(float x) { return 1 / x; }
OPLEDGER_ELEMENTARY float Fmod(float x, float y) { return __builtin_fmodf(x, y); }

OPLEDGER_ELEMENTARY float Cbrt(float x) {
  const float a = Abs(x);
  const bool tiny = a < 0x1p-120F;
  const bool huge = a > 0x1p120F;
  const float raised = tiny ? a * 0x1p24F : a;
  const float normal = huge ? a * 0x1p-24F : raised;
  // Dividing the exponent by 3 gives a value within 4 %; each of the two steps triples the correct
  // digits. The residual of the last step is not rounded.
  float y = FromBits(Bits(normal) / 3 + 0x2a5137a0U);
  const float cube = y * y * y;
  y = y * (Fma(2, normal, cube) / Fma(2, cube, normal));
  const float square = y * y;
  const float square_rest = Fma(y, y, -square);
  const float product = square * y;
  const float product_rest = Fma(square_rest, y, Fma(square, y, -product));
  y = Fma((normal - product) - product_rest, 1 / (3 * square), y);
  y = tiny ? y * 0x1p-8F : y;
  y = huge ? y * 0x1p8F : y;
  // Zeros, infinities and NaN are returned unchanged.
  return a > 0 && a < kInfinity ? CopySign(y, x) : x;
}

// log(x) = value + rest to about 2^-31, for finite x > 0.
struct LogInTwo {
  float value;
  float rest;
};

OPLEDGER_ELEMENTARY LogInTwo LogToTwice(float x) {
  const LogArgument parts = SplitForLog(x);
  const float f = parts.fraction;
  const auto k = static_cast<float>(parts.exponent);
  // log(1 + f) = 2 atanh(q), q = f / (2 + f).
  const float divisor = 2 + f;
  const float divisor_rest = f - (divisor - 2);
  const float q = f / divisor;
  const float q_rest = Fma(-q, divisor_rest, Fma(-q, divisor, f)) / divisor;
  // 2 (atanh(q) - q). Minimax, 2^-35.2 of atanh(q).
  const float z = q * q;
  const float tail =
      2 * q * z * Horner(z, 0x1.f133b8p-4F, 0x1.23d3f4p-3F, 0x1.999c26p-3F, 0x1.555554p-2F);
  const float high = k * kLn2High;  // exact
  const float sum = high + 2 * q;
  const float sum_rest = 2 * q - (sum - high);
  const float low = sum_rest + Fma(k, kLn2Low, Fma(2, q_rest, tail));
  const float value = sum + low;
  return {value, low - (value - sum)};
}

// e^(y log x) for x > 0, which may be infinite, and any y. NaN for 1 to an infinite power.
OPLEDGER_ELEMENTARY float PowOfPositive(float x, float y) {
  const LogInTwo finite = LogToTwice(x);
  const float log = LogSpecial(x, finite.value);
  const float product = log * y;
  const float rest = Fma(log, y, -product) + finite.rest * y;
  const bool bounded = Abs(product) < 200;
  return Value(ExpParts(product, bounded ? rest : -0.0F));
}

// The properties of an exponent that the special cases need, computed once for many bases.
struct PowExponent {
  float value;
  bool is_integer;
  bool is_odd;
};

OPLEDGER_ELEMENTARY PowExponent ExponentOf(float y) {
  const float b = Abs(y);
  // All float32 values from 2^24 on are even integers.
  const auto integer = static_cast<std::int32_t>(b < 0x1p24F ? b : 0x1p24F);
  const bool is_integer = b >= 0x1p24F || static_cast<float>(integer) == b;
  return {y, is_integer, is_integer && (integer & 1) != 0};
}

OPLEDGER_ELEMENTARY float PowOf(float x, const PowExponent& exponent) {
  const float a = Abs(x);
  const float y = exponent.value;
  const bool negative = (Bits(x) & kSignBit) != 0;
  float result = PowOfPositive(a, y);
  result = negative && exponent.is_odd ? -result : result;
  result = x < 0 && x != -kInfinity && !exponent.is_integer ? kNan : result;
  result = a == 1 && (Abs(y) == kInfinity) ? 1.0F : result;
  result = x != x || y != y ? kNan : result;
  return x == 1 || y == 0 ? 1.0F : result;
}

OPLEDGER_ELEMENTARY float Pow(float x, float y) { return PowOf(x, ExponentOf(y)); }

}  // namespace opledger::arithmetic
