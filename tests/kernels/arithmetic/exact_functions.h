// Computes the elementary functions with libm in a wider type, and errors in units of float32's
// last place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/arithmetic/loops/loops.h"

namespace opledger::arithmetic {

// 1 - Phi(y), where Phi is the normal distribution function.
template <typename Wide>
Wide NormalTail(Wide y) {
  return std::erfc(y * static_cast<Wide>(0.70710678118654752440084436210484903928L)) / 2;
}

template <typename Wide>
Wide ExactRounding(Unary function, Wide x) {
  switch (function) {
    case Unary::kAbs:
      return std::fabs(x);
    case Unary::kNegate:
      return -x;
    case Unary::kSign:
      return x > 0 ? 1 : x < 0 ? -1 : x;
    case Unary::kRelu:
      return x > 0 || std::isnan(x) ? x : 0;
    case Unary::kFloor:
      return std::floor(x);
    case Unary::kCeil:
      return std::ceil(x);
    case Unary::kTrunc:
      return std::trunc(x);
    case Unary::kRoundHalfEven:
      return std::nearbyint(x);
    default:
      return std::round(x);
  }
}

template <typename Wide>
Wide ExactActivation(Unary function, Wide x) {
  const Wide infinity = std::numeric_limits<Wide>::infinity();
  const Wide e = std::exp(-std::fabs(x));
  switch (function) {
    case Unary::kErf:
      return std::erf(x);
    case Unary::kErfc:
      return std::erfc(x);
    case Unary::kSigmoid:
      return x < 0 ? e / (1 + e) : 1 / (1 + e);
    case Unary::kSoftplus:
      return std::isnan(x) ? x : std::max<Wide>(x, 0) + std::log1p(e);
    case Unary::kLogSigmoid:
      return x > 0 ? -std::log1p(e) : x - std::log1p(e);
    case Unary::kSoftsign:
      return std::isinf(x) ? std::numeric_limits<Wide>::quiet_NaN() : x / (1 + std::fabs(x));
    default:
      break;
  }
  if (x == -infinity || x == infinity) return x < 0 ? -Wide{0} : x;
  switch (function) {
    case Unary::kSilu:
      return x < 0 ? x * e / (1 + e) : x / (1 + e);
    case Unary::kMish:
      return x * (x > 0 ? (1 + 2 * e) / (1 + 2 * e + 2 * e * e) : e * (e + 2) / (e * (e + 2) + 2));
    case Unary::kGeluErf:
      return x * NormalTail(-x);
    default: {
      const auto factor = static_cast<Wide>(1.59576912160573071175978423973752747424L);
      const Wide w = factor * (x + static_cast<Wide>(0.044715L) * x * x * x);
      return w < -1000 ? -Wide{0} : x / (1 + std::exp(-w));
    }
  }
}

template <typename Wide>
Wide ExactTrigonometric(Unary function, Wide x) {
  switch (function) {
    case Unary::kSin:
      return std::sin(x);
    case Unary::kCos:
      return std::cos(x);
    case Unary::kTan:
      return std::tan(x);
    case Unary::kAsin:
      return std::asin(x);
    case Unary::kAcos:
      return std::acos(x);
    case Unary::kAtan:
      return std::atan(x);
    case Unary::kSinh:
      return std::sinh(x);
    case Unary::kCosh:
      return std::cosh(x);
    case Unary::kTanh:
      return std::tanh(x);
    case Unary::kAsinh:
      return std::asinh(x);
    case Unary::kAcosh:
      return std::acosh(x);
    case Unary::kAtanh:
      return std::atanh(x);
    default:
      return ExactRounding(function, x);
  }
}

// Returns `function` of x in `Wide`, double or long double; libm's error is at most 2^-29 of a
// float32's last place.
template <typename Wide>
Wide Exact(Unary function, Wide x) {
  switch (function) {
    case Unary::kSquare:
      return x * x;
    case Unary::kSqrt:
      return std::sqrt(x);
    case Unary::kRsqrt:
      return 1 / std::sqrt(x);
    case Unary::kReciprocal:
      return 1 / x;
    case Unary::kCbrt:
      return std::cbrt(x);
    case Unary::kExp:
      return std::exp(x);
    case Unary::kExp2:
      return std::exp2(x);
    case Unary::kExpm1:
      return std::expm1(x);
    case Unary::kLog:
      return std::log(x);
    case Unary::kLog2:
      return std::log2(x);
    case Unary::kLog10:
      return std::log10(x);
    case Unary::kLog1p:
      return std::log1p(x);
    case Unary::kErf:
    case Unary::kErfc:
    case Unary::kSigmoid:
    case Unary::kLogSigmoid:
    case Unary::kSoftplus:
    case Unary::kSoftsign:
    case Unary::kSilu:
    case Unary::kMish:
    case Unary::kGeluErf:
    case Unary::kGeluTanh:
      return ExactActivation(function, x);
    default:
      return ExactTrigonometric(function, x);
  }
}

// Returns |got - exact| in units in the last place of float32 values near `exact`. Infinity if only
// one of them is NaN or has overflowed, or if zeros or infinities differ in sign.
template <typename Wide>
Wide UlpError(float got, Wide exact) {
  const Wide infinity = std::numeric_limits<Wide>::infinity();
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : infinity;
  if (std::signbit(got) != std::signbit(exact)) return infinity;
  const Wide overflow = static_cast<Wide>(0x1.ffffffp127L);  // larger values round to infinity
  if (std::isinf(got) || std::isinf(exact)) {
    if (std::isinf(got) && std::isinf(exact)) return 0;
    const Wide finite = std::isinf(got) ? std::fabs(exact) : std::fabs(static_cast<Wide>(got));
    return finite >= overflow ? 0 : std::fabs(finite - overflow) / 0x1p104F;
  }
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::fabs(static_cast<Wide>(got) - exact) / std::ldexp(Wide{1}, exponent - 23);
}

}  // namespace opledger::arithmetic
