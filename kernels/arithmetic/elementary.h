// Elementary functions of float32. (First version: rounded from libm's float64 functions.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace opledger::arithmetic {

inline float Abs(float x) { return std::fabs(x); }
inline float Negate(float x) { return -x; }
inline float Sign(float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; }  // NaN and zeros: x
inline float Relu(float x) { return x > 0 ? x : x != x ? x : 0.0F; }     // NaN: NaN
inline float Square(float x) { return x * x; }
inline float Sqrt(float x) { return std::sqrt(x); }
inline float Rsqrt(float x) { return 1 / std::sqrt(x); }
inline float Reciprocal(float x) { return 1 / x; }
inline float Cbrt(float x) { return static_cast<float>(std::cbrt(static_cast<double>(x))); }
inline float Floor(float x) { return std::floor(x); }
inline float Ceil(float x) { return std::ceil(x); }
inline float Trunc(float x) { return std::trunc(x); }
inline float RoundHalfEven(float x) { return std::nearbyint(x); }
inline float RoundHalfAway(float x) { return std::round(x); }
inline float Exp(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }
inline float Exp2(float x) { return static_cast<float>(std::exp2(static_cast<double>(x))); }
inline float Expm1(float x) { return static_cast<float>(std::expm1(static_cast<double>(x))); }
inline float Log(float x) { return static_cast<float>(std::log(static_cast<double>(x))); }
inline float Log2(float x) { return static_cast<float>(std::log2(static_cast<double>(x))); }
inline float Log10(float x) { return static_cast<float>(std::log10(static_cast<double>(x))); }
inline float Log1p(float x) { return static_cast<float>(std::log1p(static_cast<double>(x))); }
inline float Sin(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
inline float Cos(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
inline float Tan(float x) { return static_cast<float>(std::tan(static_cast<double>(x))); }
inline float Asin(float x) { return static_cast<float>(std::asin(static_cast<double>(x))); }
inline float Acos(float x) { return static_cast<float>(std::acos(static_cast<double>(x))); }
inline float Atan(float x) { return static_cast<float>(std::atan(static_cast<double>(x))); }
inline float Sinh(float x) { return static_cast<float>(std::sinh(static_cast<double>(x))); }
inline float Cosh(float x) { return static_cast<float>(std::cosh(static_cast<double>(x))); }
inline float Tanh(float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); }
inline float Asinh(float x) { return static_cast<float>(std::asinh(static_cast<double>(x))); }
inline float Acosh(float x) { return static_cast<float>(std::acosh(static_cast<double>(x))); }
inline float Atanh(float x) { return static_cast<float>(std::atanh(static_cast<double>(x))); }
inline float Erf(float x) { return static_cast<float>(std::erf(static_cast<double>(x))); }
inline float Erfc(float x) { return static_cast<float>(std::erfc(static_cast<double>(x))); }

// 1 / (1 + e^-x), and its logarithm.
inline float Sigmoid(float x) {
  return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(x))));
}
// log(1 + e^x).
inline float Softplus(float x) {
  const double wide = x;
  return static_cast<float>(wide > 0 ? wide + std::log1p(std::exp(-wide))
                                     : std::log1p(std::exp(wide)));
}
inline float LogSigmoid(float x) { return -Softplus(-x); }
// x / (1 + |x|).
inline float Softsign(float x) { return x / (1 + std::fabs(x)); }
// x * Sigmoid(x); 0 at -infinity.
inline float Silu(float x) {
  if (x == -INFINITY) return -0.0F;
  return static_cast<float>(x / (1 + std::exp(-static_cast<double>(x))));
}
// x * tanh(softplus(x)); 0 at -infinity.
inline float Mish(float x) {
  if (x == -INFINITY) return -0.0F;
  const double e = std::exp(-std::fabs(static_cast<double>(x)));
  const double t = x > 0 ? (1 + 2 * e) / (1 + 2 * e + 2 * e * e) : e * (e + 2) / (e * (e + 2) + 2);
  return static_cast<float>(x * t);
}
// x * Phi(x), Phi the normal distribution; 0 at -infinity.
inline float GeluErf(float x) {
  if (x == -INFINITY) return -0.0F;
  return static_cast<float>(0.5 * x * std::erfc(-static_cast<double>(x) * 0.70710678118654752440));
}
// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); 0 at -infinity.
inline float GeluTanh(float x) {
  if (x == -INFINITY) return -0.0F;
  const double wide = x;
  const double inner = 1.5957691216057308 * (wide + 0.044715 * wide * wide * wide);
  return static_cast<float>(wide / (1 + std::exp(-inner)));
}

// x to the power y, with the special cases of C's pow.
inline float Pow(float x, float y) {
  return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}
// The remainder that has the sign of x, exactly; NaN where y is 0.
inline float Fmod(float x, float y) { return std::fmod(x, y); }
// IEEE 754-2019 minimum and maximum: a NaN wins, -0 is below +0.
inline float Minimum(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == 0 && y == 0) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
inline float Maximum(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == 0 && y == 0) return std::signbit(x) ? y : x;
  return x < y ? y : x;
}

}  // namespace opledger::arithmetic
