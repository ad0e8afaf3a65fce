// Unary functions, as formulas of x and two parameters, from which both CPU and GPU kernels are
// made, and whose steps kernels/evidence rounds. Where they are expanded, T is the type of x, and
// the functions that they name are defined, as in formulas.h. https://onnx.ai/onnx/operators/ has
// them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger {

// Quadratic for |x| < 1 / s^2, linear beyond.
template <typename T>
OPLEDGER_ELEMENTARY T SmoothL1(T x, T s) {
  const T edge = T(1) / (s * s);
  const T size = x < T(0) ? -x : x;
  return size < edge ? T(0.5) * (s * x) * (s * x) : size - T(0.5) * edge;
}

// a x + b, rounded once.
template <typename T>
OPLEDGER_ELEMENTARY T Linear(T a, T x, T b) {
  return static_cast<T>(double(a) * double(x) + double(b));
}

}  // namespace opledger

// Columns: kernel, error bound, number of parameters (alpha, beta), their defaults a and b, and the
// value. A row defines the kernels "cpu" and "cuda", a step of chains, and the steps of `opledger
// characterize`.
// clang-format off
#define OPLEDGER_UNARY_FUNCTIONS(FUNCTION) \
  FUNCTION(Abs, "exact", 0, 0, 0, Abs(x)) \
  FUNCTION(Neg, "exact", 0, 0, 0, -x) \
  FUNCTION(Sign, "exact", 0, 0, 0, x > T(0) ? T(1) : x < T(0) ? T(-1) : x) \
  FUNCTION(Floor, "exact", 0, 0, 0, Floor(x)) \
  FUNCTION(Ceil, "exact", 0, 0, 0, Ceil(x)) \
  FUNCTION(Round, "exact", 0, 0, 0, RoundEven(x)) \
  FUNCTION(RoundHalfAway, "exact", 0, 0, 0, RoundHalfAway(x)) \
  FUNCTION(Trunc, "exact", 0, 0, 0, Trunc(x)) \
  FUNCTION(Sqrt, "0.5 ulp", 0, 0, 0, Sqrt(x)) \
  FUNCTION(Cbrt, "4 ulp", 0, 0, 0, Cbrt(x)) \
  FUNCTION(Rsqrt, "4 ulp", 0, 0, 0, T(1) / Sqrt(x)) \
  FUNCTION(Reciprocal, "0.5 ulp", 0, 0, 0, T(1) / x) \
  FUNCTION(Square, "0.5 ulp", 0, 0, 0, x * x) \
  FUNCTION(Exp, "4 ulp", 0, 0, 0, Exp(x)) \
  FUNCTION(Expm1, "4 ulp", 0, 0, 0, Expm1(x)) \
  FUNCTION(Log, "4 ulp", 0, 0, 0, Log(x)) \
  FUNCTION(Log1p, "4 ulp", 0, 0, 0, Log1p(x)) \
  FUNCTION(Log2, "4 ulp", 0, 0, 0, Log2(x)) \
  FUNCTION(Log10, "4 ulp", 0, 0, 0, Log10(x)) \
  FUNCTION(Sin, "4 ulp", 0, 0, 0, Sin(x)) \
  FUNCTION(Cos, "4 ulp", 0, 0, 0, Cos(x)) \
  FUNCTION(Tan, "4 ulp", 0, 0, 0, Tan(x)) \
  FUNCTION(Asin, "4 ulp", 0, 0, 0, Asin(x)) \
  FUNCTION(Acos, "4 ulp", 0, 0, 0, Acos(x)) \
  FUNCTION(Atan, "4 ulp", 0, 0, 0, Atan(x)) \
  FUNCTION(Sinh, "4 ulp", 0, 0, 0, Sinh(x)) \
  FUNCTION(Cosh, "4 ulp", 0, 0, 0, Cosh(x)) \
  FUNCTION(Asinh, "4 ulp", 0, 0, 0, Asinh(x)) \
  FUNCTION(Acosh, "4 ulp", 0, 0, 0, Acosh(x)) \
  FUNCTION(Atanh, "4 ulp", 0, 0, 0, Atanh(x)) \
  FUNCTION(Tanh, "4 ulp", 0, 0, 0, Tanh(x)) \
  FUNCTION(Erf, "4 ulp", 0, 0, 0, Erf(x)) \
  FUNCTION(Sigmoid, "4 ulp", 0, 0, 0, Sigmoid(x)) \
  FUNCTION(LogSigmoid, "4 ulp", 0, 0, 0, LogSigmoid(x)) \
  FUNCTION(Softplus, "4 ulp", 0, 0, 0, Softplus(x)) \
  FUNCTION(Softsign, "4 ulp", 0, 0, 0, x / (T(1) + Abs(x))) \
  FUNCTION(Relu, "exact", 0, 0, 0, Maximum(x, T(0))) \
  FUNCTION(LeakyRelu, "4 ulp", 1, 0.01, 0, x < T(0) ? a * x : x) \
  FUNCTION(ThresholdedRelu, "exact", 1, 1, 0, x > a ? x : T(0)) \
  FUNCTION(Elu, "4 ulp", 1, 1, 0, x < T(0) ? a * Expm1(x) : x) \
  FUNCTION(Celu, "4 ulp", 1, 1, 0, Maximum(T(0), x) + Minimum(T(0), a * Expm1(x / a))) \
  FUNCTION(Selu, "4 ulp", 2, 1.67326319217681884765625, 1.05070102214813232421875, \
           b * (x > T(0) ? x : a * Expm1(x))) \
  FUNCTION(Gelu, "4 ulp", 0, 0, 0, Gelu(x)) \
  FUNCTION(GeluTanh, "4 ulp", 0, 0, 0, GeluTanh(x)) \
  FUNCTION(Silu, "4 ulp + 0.75 ulp * |a x| where a is not 1", 1, 1, 0, \
           a == T(1) ? Silu(x) : x * Sigmoid(a * x)) \
  FUNCTION(Mish, "4 ulp", 0, 0, 0, Mish(x)) \
  FUNCTION(HardSigmoid, "1 ulp", 2, 0.2, 0.5, Maximum(T(0), Minimum(T(1), Linear(a, x, b)))) \
  FUNCTION(HardSwish, "4 ulp", 0, 0, 0, x * (Maximum(T(0), Minimum(T(6), x + T(3))) / T(6))) \
  FUNCTION(SmoothL1, "4 ulp", 1, 1, 0, SmoothL1(x, a)) \
  FUNCTION(Shrink, "4 ulp", 2, 0, 0.5, x < -b ? x + a : x > b ? x - a : T(0))
// clang-format on
