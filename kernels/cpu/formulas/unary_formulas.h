// The functions of one number, as formulas of x and two parameters: what CPU and GPU kernels are
// both made of. Who expands them has T, the type of x, and the functions they name, as
// cpu/functions.h. https://onnx.ai/onnx/operators/ has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger {

// Quadratic up to 1 / s^2 on both sides, linear beyond.
template <typename T>
OPLEDGER_ELEMENTARY T SmoothL1(T x, T s) {
  const T edge = T(1) / (s * s);
  const T size = std::fabs(x);
  return size < edge ? T(0.5) * (s * x) * (s * x) : size - T(0.5) * edge;
}

}  // namespace opledger

// kernel: x, a (alpha), b (beta) -> y; NAME, the defaults of alpha and beta, and y.
#define OPLEDGER_UNARY_FUNCTIONS(FUNCTION)                                      \
  FUNCTION(Abs, 0, 0, std::fabs(x))                                             \
  FUNCTION(Neg, 0, 0, -x)                                                       \
  FUNCTION(Sign, 0, 0, x > T(0) ? T(1) : x < T(0) ? T(-1) : x)                  \
  FUNCTION(Floor, 0, 0, Floor(x))                                               \
  FUNCTION(Ceil, 0, 0, Ceil(x))                                                 \
  FUNCTION(Round, 0, 0, RoundEven(x))                                           \
  FUNCTION(RoundHalfAway, 0, 0, RoundHalfAway(x))                               \
  FUNCTION(Trunc, 0, 0, Trunc(x))                                               \
  FUNCTION(Sqrt, 0, 0, Sqrt(x))                                                 \
  FUNCTION(Cbrt, 0, 0, Cbrt(x))                                                 \
  FUNCTION(Rsqrt, 0, 0, T(1) / Sqrt(x))                                         \
  FUNCTION(Reciprocal, 0, 0, T(1) / x)                                          \
  FUNCTION(Square, 0, 0, x* x)                                                  \
  FUNCTION(Exp, 0, 0, Exp(x))                                                   \
  FUNCTION(Expm1, 0, 0, Expm1(x))                                               \
  FUNCTION(Log, 0, 0, Log(x))                                                   \
  FUNCTION(Log1p, 0, 0, Log1p(x))                                               \
  FUNCTION(Log2, 0, 0, Log2(x))                                                 \
  FUNCTION(Log10, 0, 0, Log10(x))                                               \
  FUNCTION(Sin, 0, 0, Sin(x))                                                   \
  FUNCTION(Cos, 0, 0, Cos(x))                                                   \
  FUNCTION(Tan, 0, 0, Tan(x))                                                   \
  FUNCTION(Asin, 0, 0, Asin(x))                                                 \
  FUNCTION(Acos, 0, 0, Acos(x))                                                 \
  FUNCTION(Atan, 0, 0, Atan(x))                                                 \
  FUNCTION(Sinh, 0, 0, Sinh(x))                                                 \
  FUNCTION(Cosh, 0, 0, Cosh(x))                                                 \
  FUNCTION(Asinh, 0, 0, Asinh(x))                                               \
  FUNCTION(Acosh, 0, 0, Acosh(x))                                               \
  FUNCTION(Atanh, 0, 0, Atanh(x))                                               \
  FUNCTION(Tanh, 0, 0, Tanh(x))                                                 \
  FUNCTION(Erf, 0, 0, Erf(x))                                                   \
  FUNCTION(Sigmoid, 0, 0, Sigmoid(x))                                           \
  FUNCTION(LogSigmoid, 0, 0, LogSigmoid(x))                                     \
  FUNCTION(Softplus, 0, 0, Softplus(x))                                         \
  FUNCTION(Softsign, 0, 0, x / (T(1) + std::fabs(x)))                           \
  FUNCTION(Relu, 0, 0, Maximum(x, T(0)))                                        \
  FUNCTION(LeakyRelu, 0.01, 0, x < T(0) ? a * x : x)                            \
  FUNCTION(ThresholdedRelu, 1, 0, x > a ? x : T(0))                             \
  FUNCTION(Elu, 1, 0, x < T(0) ? a * Expm1(x) : x)                              \
  FUNCTION(Celu, 1, 0, Maximum(T(0), x) + Minimum(T(0), a * Expm1(x / a)))      \
  FUNCTION(Selu, 1.67326319217681884765625, 1.05070102214813232421875,          \
           b*(x > T(0) ? x : a * Expm1(x)))                                     \
  FUNCTION(Gelu, 0, 0, Gelu(x))                                                 \
  FUNCTION(GeluTanh, 0, 0, GeluTanh(x))                                         \
  FUNCTION(Silu, 1, 0, x* Sigmoid(a* x))                                        \
  FUNCTION(Mish, 0, 0, Mish(x))                                                 \
  FUNCTION(HardSigmoid, 0.2, 0.5, Maximum(T(0), Minimum(T(1), a* x + b)))       \
  FUNCTION(HardSwish, 0, 0, x* Maximum(T(0), Minimum(T(1), x / T(6) + T(0.5)))) \
  FUNCTION(SmoothL1, 1, 0, SmoothL1(x, a))                                      \
  FUNCTION(Shrink, 0, 0.5, x<-b ? x + a : x> b ? x - a : T(0))
