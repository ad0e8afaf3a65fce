// The functions that kernels are made of, one name for float and double. Of float: the shared
// arithmetic, the same bits on every processor. Of double: the C library's, for comparison.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "kernels/arithmetic/elementary.h"

namespace opledger::function {

#define OPLEDGER_FUNCTION(Name, Shared, name)                  \
  inline float Name(float x) { return arithmetic::Shared(x); } \
  inline double Name(double x) { return std::name(x); }

OPLEDGER_FUNCTION(Exp, Exp, exp)
OPLEDGER_FUNCTION(Expm1, Expm1, expm1)
OPLEDGER_FUNCTION(Log, Log, log)
OPLEDGER_FUNCTION(Log1p, Log1p, log1p)
OPLEDGER_FUNCTION(Tanh, Tanh, tanh)
OPLEDGER_FUNCTION(Erf, Erf, erf)
OPLEDGER_FUNCTION(Sin, Sin, sin)
OPLEDGER_FUNCTION(Cos, Cos, cos)
OPLEDGER_FUNCTION(Tan, Tan, tan)
OPLEDGER_FUNCTION(Asin, Asin, asin)
OPLEDGER_FUNCTION(Acos, Acos, acos)
OPLEDGER_FUNCTION(Atan, Atan, atan)
OPLEDGER_FUNCTION(Sinh, Sinh, sinh)
OPLEDGER_FUNCTION(Cosh, Cosh, cosh)
OPLEDGER_FUNCTION(Asinh, Asinh, asinh)
OPLEDGER_FUNCTION(Acosh, Acosh, acosh)
OPLEDGER_FUNCTION(Atanh, Atanh, atanh)
OPLEDGER_FUNCTION(Sqrt, Sqrt, sqrt)
OPLEDGER_FUNCTION(Floor, Floor, floor)
OPLEDGER_FUNCTION(Ceil, Ceil, ceil)
OPLEDGER_FUNCTION(RoundEven, RoundHalfEven, nearbyint)
#undef OPLEDGER_FUNCTION

inline float Sigmoid(float x) { return arithmetic::Sigmoid(x); }
inline double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline float Softplus(float x) { return arithmetic::Softplus(x); }
inline double Softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
inline float Gelu(float x) { return arithmetic::GeluErf(x); }
inline double Gelu(double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); }
inline float GeluTanh(float x) { return arithmetic::GeluTanh(x); }
inline double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
inline float Mish(float x) { return arithmetic::Mish(x); }
inline double Mish(double x) { return x * std::tanh(Softplus(x)); }

inline float Pow(float x, float y) { return arithmetic::Pow(x, y); }
inline double Pow(double x, double y) { return std::pow(x, y); }

// IEEE 754-2019: a NaN wins, and -0 is less than +0.
template <typename T>
T Maximum(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T>
T Minimum(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

}  // namespace opledger::function
