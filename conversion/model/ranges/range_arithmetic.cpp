// Arithmetic of ranges in double, whose bounds are then rounded outward to float32.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "conversion/model/ranges/range.h"

namespace opledger {
namespace {

// Zero times infinity is NaN where it happens; a bound that is infinite stands for large numbers.
double BoundProduct(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range OfCorners(const std::array<double, 4>& corners) {
  return Range::Between(*std::min_element(corners.begin(), corners.end()),
                        *std::max_element(corners.begin(), corners.end()));
}

// What all results of two operands inherit.
Range Inherit(Range result, const Range& a, const Range& b) {
  result.nan = result.nan || a.nan || b.nan;
  result.loose = a.loose || b.loose;
  return result;
}

// The quotients by a divisor in [low, high], both of one sign and not zero.
Range QuotientsOf(const Range& a, double low, double high) {
  const auto divided = [](double x, double y) {
    // What infinity itself gives lies between the corners, as does what tiny divisors give.
    if (std::isinf(y) || x == 0) return 0.0;
    return x / y;
  };
  return OfCorners(
      {divided(a.low, low), divided(a.low, high), divided(a.high, low), divided(a.high, high)});
}

// A bound on the error of a sum of many float32 numbers, relative to the sum of their magnitudes.
double SumError(double count) { return std::min(1.0, count * 0x1p-23); }

}  // namespace

Range Negated(const Range& a) {
  Range result = a;
  result.low = -a.high;
  result.high = -a.low;
  return result;
}

Range Sum(const Range& a, const Range& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Inherit(Range::Nothing(), a, b);
  Range result = Inherit(Range::Between(a.low + b.low, a.high + b.high), a, b);
  if (std::isnan(result.low)) result.low = -kInfinite;
  if (std::isnan(result.high)) result.high = kInfinite;
  result.nan = result.nan || (a.low == -kInfinite && b.high == kInfinite) ||
               (a.high == kInfinite && b.low == -kInfinite);
  result.integer = a.integer && b.integer;
  if (a.Magnitude() == 0 || b.Magnitude() == 0) {
    const Range& other = a.Magnitude() == 0 ? b : a;
    result.gap = other.gap;
    result.zero = other.zero;
  }
  return InFloat32(Tightened(result));
}

Range Difference(const Range& a, const Range& b) { return Sum(a, Negated(b)); }

Range Product(const Range& a, const Range& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Inherit(Range::Nothing(), a, b);
  Range result = Inherit(OfCorners({BoundProduct(a.low, b.low), BoundProduct(a.low, b.high),
                                    BoundProduct(a.high, b.low), BoundProduct(a.high, b.high)}),
                         a, b);
  result.nan = result.nan || (a.zero && b.MayBeInfinite()) || (b.zero && a.MayBeInfinite());
  result.integer = a.integer && b.integer;
  result.zero = a.zero || b.zero;
  result.gap = a.gap * b.gap;
  // A product of small numbers may vanish in float32.
  if (result.gap == 0) result.zero = true;
  return InFloat32(Tightened(result));
}

Range Quotient(const Range& a, const Range& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Inherit(Range::Nothing(), a, b);
  Range result = Range::Nothing();
  if (b.high > 0) result = Hull(result, QuotientsOf(a, std::max(b.low, b.gap), b.high));
  if (b.low < 0) result = Hull(result, QuotientsOf(a, b.low, std::min(b.high, -b.gap)));
  // A divisor that may be zero or any tiny number gives infinity, of either sign of the zero.
  const bool by_zero = b.zero || b.gap == 0;
  if (by_zero) result = Hull(result, Range::Between(-kInfinite, kInfinite));
  result = Inherit(result, a, b);
  result.nan = result.nan || (by_zero && a.zero) || (a.MayBeInfinite() && b.MayBeInfinite());
  result.zero = a.zero || b.MayBeInfinite() || a.gap == 0;
  result.gap = b.MayBeInfinite() || b.Magnitude() == 0 ? 0 : a.gap / b.Magnitude();
  result.integer = false;
  return InFloat32(Tightened(result));
}

Range Square(const Range& a) {
  Range result = Product(Magnitudes(a), Magnitudes(a));
  // Of one number infinity meets no zero.
  result.nan = a.nan;
  return result;
}

Range Magnitudes(const Range& a) {
  if (a.IsEmpty()) return a;
  Range result = a;
  result.low = a.low >= 0 ? a.low : a.high <= 0 ? -a.high : 0;
  result.high = a.Magnitude();
  if (result.low == 0) result.low = a.zero ? 0 : a.gap;
  return Tightened(result);
}

Range Least(const Range& a, const Range& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Inherit(Range::Nothing(), a, b);
  Range result = Inherit(Range::Between(std::min(a.low, b.low), std::min(a.high, b.high)), a, b);
  result.zero = a.zero || b.zero;
  result.gap =
      std::min(a.Magnitude() == 0 ? kInfinite : a.gap, b.Magnitude() == 0 ? kInfinite : b.gap);
  if (result.gap == kInfinite) result.gap = 0;
  result.integer = a.integer && b.integer;
  result.loose = (a.loose && a.high <= b.high) || (b.loose && b.high <= a.high) ||
                 (a.loose && a.low <= b.low) || (b.loose && b.low <= a.low);
  result.reach = std::min(std::max(a.reach, b.reach), result.Magnitude());
  return Tightened(result);
}

Range Greatest(const Range& a, const Range& b) { return Negated(Least(Negated(a), Negated(b))); }

Range SumOf(const Range& a, double count) {
  if (a.IsEmpty() || count == 0) return Inherit(Range::Point(0), a, a);
  Range result =
      Inherit(Range::Between(BoundProduct(a.low, count), BoundProduct(a.high, count)), a, a);
  // Partial sums may be larger than the whole.
  const double error = SumError(count) * BoundProduct(a.Magnitude(), count);
  if (a.low < 0 && a.high > 0) {
    result.low = std::min(result.low, a.low);
    result.high = std::max(result.high, a.high);
  }
  const bool exact = a.integer && BoundProduct(a.Magnitude(), count) <= 0x1p24;
  result.nan = a.nan || (a.low == -kInfinite && a.high == kInfinite);
  result.integer = a.integer;
  result.loose = count > 1 || a.loose;
  if (count == 1) {
    result.zero = a.zero;
    result.gap = a.gap;
  }
  result = InFloat32(Tightened(result), 0, exact || count == 1 || std::isinf(error) ? 0 : error);
  // Where sums overflow to both sides, infinities meet.
  if (count > 1 && result.low == -kInfinite && result.high == kInfinite) result.nan = true;
  // Rounding never makes a sum of numbers of one sign change it.
  if (a.low >= 0) result.low = std::max(result.low, a.low > 0 ? a.low * 0.5 : 0);
  if (a.high <= 0) result.high = std::min(result.high, a.high < 0 ? a.high * 0.5 : 0);
  return Tightened(result);
}

}  // namespace opledger
