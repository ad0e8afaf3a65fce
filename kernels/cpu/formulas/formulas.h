// The formulas and element types that kernels are made of. In: values, float or double under one
// name; out: the function's value. float uses the shared arithmetic, with the same bits on every
// processor; double uses the C library and serves for comparison. unary_formulas.h and
// pair_formulas.h list functions of one and two arguments for CPU and GPU; types.h lists the
// element types that registrations declare.
// May include: kernels/arithmetic/elementary, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

// Columns: name, function of kernels/arithmetic, function of the C library.
// clang-format off
#define OPLEDGER_ELEMENTARY_FUNCTIONS(FUNCTION) \
  FUNCTION(Exp, Exp, exp) \
  FUNCTION(Expm1, Expm1, expm1) \
  FUNCTION(Log, Log, log) \
  FUNCTION(Log1p, Log1p, log1p) \
  FUNCTION(Log2, Log2, log2) \
  FUNCTION(Log10, Log10, log10) \
  FUNCTION(Tanh, Tanh, tanh) \
  FUNCTION(Erf, Erf, erf) \
  FUNCTION(Sin, Sin, sin) \
  FUNCTION(Cos, Cos, cos) \
  FUNCTION(Tan, Tan, tan) \
  FUNCTION(Asin, Asin, asin) \
  FUNCTION(Acos, Acos, acos) \
  FUNCTION(Atan, Atan, atan) \
  FUNCTION(Sinh, Sinh, sinh) \
  FUNCTION(Cosh, Cosh, cosh) \
  FUNCTION(Asinh, Asinh, asinh) \
  FUNCTION(Acosh, Acosh, acosh) \
  FUNCTION(Atanh, Atanh, atanh) \
  FUNCTION(Sqrt, Sqrt, sqrt) \
  FUNCTION(Floor, Floor, floor) \
  FUNCTION(Ceil, Ceil, ceil) \
  FUNCTION(RoundEven, RoundHalfEven, nearbyint) \
  FUNCTION(RoundHalfAway, RoundHalfAway, round) \
  FUNCTION(Trunc, Trunc, trunc) \
  FUNCTION(Cbrt, Cbrt, cbrt)
// clang-format on

namespace opledger::function {

// Not inline: inlining them into every kernel and type would take the compiler minutes.
#define OPLEDGER_FUNCTION(Name, ...) \
  float Name(float x);               \
  double Name(double x);
OPLEDGER_ELEMENTARY_FUNCTIONS(OPLEDGER_FUNCTION)
OPLEDGER_FUNCTION(Sigmoid)
OPLEDGER_FUNCTION(LogSigmoid)
OPLEDGER_FUNCTION(Softplus)
OPLEDGER_FUNCTION(Gelu)
OPLEDGER_FUNCTION(GeluTanh)
OPLEDGER_FUNCTION(Mish)
OPLEDGER_FUNCTION(Silu)
#undef OPLEDGER_FUNCTION

inline float Abs(float x) { return std::fabs(x); }
inline double Abs(double x) { return std::fabs(x); }

// Compute the same functions step by step, as frameworks define them: for a type that rounds every
// step (kernels/evidence), and for double where that is accurate enough.
template <typename N>
N Sigmoid(N x) {
  return N(1) / (N(1) + Exp(-x));
}
template <typename N>
N Softplus(N x) {
  return Log(N(1) + Exp(x));
}
template <typename N>
N LogSigmoid(N x) {
  return -Softplus(-x);
}
template <typename N>
N Gelu(N x) {
  return N(0.5) * x * (N(1) + Erf(x * N(0.70710678118654752440)));
}
template <typename N>
N GeluTanh(N x) {
  return N(0.5) * x * (N(1) + Tanh(N(0.79788456080286535588) * (x + N(0.044715) * x * x * x)));
}
template <typename N>
N Mish(N x) {
  return x * Tanh(Softplus(x));
}
template <typename N>
N Silu(N x) {
  return x * Sigmoid(x);
}

float Pow(float x, float y);
double Pow(double x, double y);

// Power of integers, exact modulo wraparound. For negative exponents, truncates the reciprocal
// towards zero.
template <typename T, typename E>
T IntegerPower(T base, E exponent);

// Floats: IEEE 754-2019 maximum and minimum, so NaN if either is NaN, and -0 is less than +0.
// Integers: the ordinary ones.
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

// Integer operations wrap around; they are done on unsigned integers.
template <typename T, typename Operation>
T Wrapped(T a, T b, const Operation& operation) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  } else {
    return operation(a, b);
  }
}
template <typename T>
T Plus(T a, T b) {
  return Wrapped(a, b, [](auto x, auto y) { return x + y; });
}
template <typename T>
T Minus(T a, T b) {
  return Wrapped(a, b, [](auto x, auto y) { return x - y; });
}
template <typename T>
T Times(T a, T b) {
  return Wrapped(a, b, [](auto x, auto y) { return x * y; });
}

// Integers: truncates towards zero; division by 0 gives 0, the lowest integer by -1 gives itself.
template <typename T>
T Quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return Minus(T(0), a);
    }
  }
  return static_cast<T>(a / b);
}

// Truncates towards zero. If the value does not fit, or is NaN, gives the lowest 32-bit integer
// (64-bit if 32 bits do not hold all values of the type), cut to the type's bits, as x86 does and
// ONNX Runtime does there.
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
