// The formulas and element types that kernels are made of. In: numbers, float or double under one
// name; out: the function's value: of float by the shared arithmetic, the same bits on every
// processor, of double by the C library, for comparison. unary_formulas.h lists the functions of
// one number for CPU and GPU, types.h the element types that registrations declare.
// May include: kernels/arithmetic/elementary, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

namespace opledger::function {

// Not inline: their bodies in every kernel and type would take the compiler minutes.
#define OPLEDGER_FUNCTION(Name) \
  float Name(float x);          \
  double Name(double x);
OPLEDGER_FUNCTION(Name)
OPLEDGER_FUNCTION(Exp)
OPLEDGER_FUNCTION(Expm1)
OPLEDGER_FUNCTION(Log)
OPLEDGER_FUNCTION(Log1p)
OPLEDGER_FUNCTION(Log2)
OPLEDGER_FUNCTION(Log10)
OPLEDGER_FUNCTION(Tanh)
OPLEDGER_FUNCTION(Erf)
OPLEDGER_FUNCTION(Sin)
OPLEDGER_FUNCTION(Cos)
OPLEDGER_FUNCTION(Tan)
OPLEDGER_FUNCTION(Asin)
OPLEDGER_FUNCTION(Acos)
OPLEDGER_FUNCTION(Atan)
OPLEDGER_FUNCTION(Sinh)
OPLEDGER_FUNCTION(Cosh)
OPLEDGER_FUNCTION(Asinh)
OPLEDGER_FUNCTION(Acosh)
OPLEDGER_FUNCTION(Atanh)
OPLEDGER_FUNCTION(Sqrt)
OPLEDGER_FUNCTION(Floor)
OPLEDGER_FUNCTION(Ceil)
OPLEDGER_FUNCTION(RoundEven)
OPLEDGER_FUNCTION(RoundHalfAway)
OPLEDGER_FUNCTION(Trunc)
OPLEDGER_FUNCTION(Cbrt)
OPLEDGER_FUNCTION(Sigmoid)
OPLEDGER_FUNCTION(LogSigmoid)
OPLEDGER_FUNCTION(Softplus)
OPLEDGER_FUNCTION(Gelu)
OPLEDGER_FUNCTION(GeluTanh)
OPLEDGER_FUNCTION(Mish)
#undef OPLEDGER_FUNCTION

float Pow(float x, float y);
double Pow(double x, double y);

// Of floats as IEEE 754-2019 has it: a NaN wins, and -0 is less than +0. Of integers the plain
// ones.
template <typename T>
T Maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <typename T>
T Minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

}  // namespace opledger::function
