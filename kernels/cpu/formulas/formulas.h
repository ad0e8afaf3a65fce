// The formulas and element types that kernels are made of. In: numbers, float or double under one
// name; out: the function's value: of float by the shared arithmetic, the same bits on every
// processor, of double by the C library, for comparison. unary_formulas.h lists the functions of
// one number for CPU and GPU, types.h the element types that registrations declare.
// May include: kernels/arithmetic/elementary, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
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
OPLEDGER_FUNCTION(Silu)
#undef OPLEDGER_FUNCTION

float Pow(float x, float y);
double Pow(double x, double y);

// Of integers, exactly: by squaring, wrapping around. Of negative exponents what is left of the
// reciprocal towards zero.
template <typename T, typename E>
T IntegerPower(T base, E exponent);

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

// Integers wrap around, as unsigned ones do.
template <typename T, typename Operation>
T Wrapped(T a, T b, const Operation& operation) {
  if constexpr (std::is_floating_point_v<T>) {
    return operation(a, b);
  } else {
    return static_cast<T>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }
}
template <typename T>
T Plus(T a, T b) {
  return Wrapped(a, b, [](auto x, auto y) { return x + y; });
}
template <typename T>
T Times(T a, T b) {
  return Wrapped(a, b, [](auto x, auto y) { return x * y; });
}

// Towards zero. What does not fit, and NaN, give the lowest number of 32 bits (64 where the type
// has numbers that 32 do not hold), cut to the type's bits: what x86 does, and ONNX Runtime there.
template <typename Integer>
Integer IntegerOf(double x) {
  using Held = std::conditional_t<sizeof(Integer) == 8 || std::is_same_v<Integer, std::uint32_t>,
                                  std::int64_t, std::int32_t>;
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<Held>::lowest());
  if constexpr (std::is_same_v<Integer, std::uint64_t>) {
    if (x >= -kLowest) return x < -2 * kLowest ? static_cast<Integer>(x) : 0;
  }
  const double whole = std::trunc(x);
  const bool fits = whole >= kLowest && whole < -kLowest;
  return static_cast<Integer>(fits ? static_cast<Held>(whole)
                                   : std::numeric_limits<Held>::lowest());
}

template <typename T, typename E>
T IntegerPower(T base, E exponent) {
  if (exponent < E(0)) {
    if (base == T(0)) return IntegerOf<T>(std::numeric_limits<double>::infinity());
    if (base == T(1)) return base;
    if (std::is_signed_v<T> && base == static_cast<T>(-1)) return exponent % 2 == 0 ? T(1) : base;
    return 0;
  }
  T power = 1;
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left /= 2) {
    if (left % 2 != 0) power = Times(power, base);
    base = Times(base, base);
  }
  return power;
}

}  // namespace opledger::function
