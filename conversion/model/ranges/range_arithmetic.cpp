// Computes ranges in double and rounds bounds outward to float32.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "conversion/model/ranges/ranges.h"

namespace opledger {
namespace {

// An infinite bound stands for arbitrarily large numbers, so zero times it is zero. NaN from real
// infinities is handled separately.
double BoundProduct(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range OfCorners(const std::array<double, 4>& corners) {
  return Range::Between(*std::min_element(corners.begin(), corners.end()),
                        *std::max_element(corners.begin(), corners.end()));
}

// Sets what a result inherits from two operands. `rises`: each bound depends only on the operands'
// bounds of the same side.
Range Inherit(Range result, const Range& a, const Range& b, bool rises = false) {
  result.nan = result.nan || a.nan || b.nan;
  const bool any = a.loose.Any() || b.loose.Any();
  result.loose = rises ? Looseness{a.loose.low || b.loose.low, a.loose.high || b.loose.high}
                       : Looseness{any, any};
  return result;
}

// Returns the quotients by divisors in [low, high], both of one sign and nonzero.
Range QuotientsOf(const Range& a, double low, double high) {
  const auto divided = [](double x, double y) {
    // An infinite divisor gives results between the corners, and so do tiny divisors if x is zero.
    if (std::isinf(y) || x == 0) return 0.0;
    return x / y;
  };
  return OfCorners(
      {divided(a.low, low), divided(a.low, high), divided(a.high, low), divided(a.high, high)});
}

// A bound on the error of a float32 sum of `count` elements, relative to the sum of their
// magnitudes.
double SumError(double count) { return std::min(1.0, count * 0x1p-23); }

}  // namespace

Range Negated(const Range& a) {
  Range result = a;
  result.low = -a.high;
  result.high = -a.low;
  result.loose = {a.loose.high, a.loose.low};
  return result;
}

Range Sum(const Range& a, const Range& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Inherit(Range::Nothing(), a, b);
  Range result = Inherit(Range::Between(a.low + b.low, a.high + b.high), a, b, true);
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
                         a, b, a.low >= 0 && b.low >= 0);
  result.nan = result.nan || (a.zero && b.MayBeInfinite()) || (b.zero && a.MayBeInfinite());
  result.integer = a.integer && b.integer;
  result.zero = a.zero || b.zero;
  result.gap = a.gap * b.gap;
  // A product of small numbers may underflow in float32.
  if (result.gap == 0) result.zero = true;
  return InFloat32(Tightened(result));
}

Range Quotient(const Range& a, const Range& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Inherit(Range::Nothing(), a, b);
  Range result = Range::Nothing();
  if (b.high > 0) result = Hull(result, QuotientsOf(a, std::max(b.low, b.gap), b.high));
  if (b.low < 0) result = Hull(result, QuotientsOf(a, b.low, std::min(b.high, -b.gap)));
  // A divisor that may be zero or arbitrarily small gives infinity, with the sign of either zero.
  const bool by_zero = b.zero || b.gap == 0;
  if (by_zero) result = Hull(result, Range::Between(-kInfinite, kInfinite));
  // For a positive dividend, a larger divisor gives a smaller quotient.
  Range divisor = b;
  divisor.loose = {b.loose.high, b.loose.low};
  result = Inherit(result, a, divisor, a.low >= 0 && b.low >= 0);
  result.nan = result.nan || (by_zero && a.zero) || (a.MayBeInfinite() && b.MayBeInfinite());
  result.zero = a.zero || b.MayBeInfinite() || a.gap == 0;
  result.gap = b.MayBeInfinite() || b.Magnitude() == 0 ? 0 : a.gap / b.Magnitude();
  result.integer = false;
  return InFloat32(Tightened(result));
}

Range Square(const Range& a) {
  Range result = Product(Magnitudes(a), Magnitudes(a));
  // Infinity times zero cannot occur, since both factors are the same element.
  result.nan = a.nan;
  return result;
}

Range Magnitudes(const Range& a) {
  if (a.IsEmpty()) return a;
  Range result = a;
  result.low = a.low >= 0 ? a.low : a.high <= 0 ? -a.high : 0;
  result.high = a.Magnitude();
  if (result.low == 0) result.low = a.zero ? 0 : a.gap;
  const bool any = a.loose.Any();
  result.loose = {a.low >= 0 ? a.loose.low : a.high <= 0 && any, any};
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
  result.loose = {a.low <= b.low ? a.loose.low : b.loose.low,
                  a.high <= b.high ? a.loose.high : b.loose.high};
  result.reach = std::min(std::max(a.reach, b.reach), result.Magnitude());
  return Tightened(result);
}

Range Greatest(const Range& a, const Range& b) { return Negated(Least(Negated(a), Negated(b))); }

namespace {

// Rounding never changes the sign of a sum of elements of one sign, nor makes it less than half of
// the smallest.
Range WithSignOf(Range sum, const Range& a) {
  if (a.low >= 0) sum.low = std::max(sum.low, a.low / 2);
  if (a.high <= 0) sum.high = std::min(sum.high, a.high / 2);
  return Tightened(sum);
}

Range SumOfSome(const Range& a) {
  Range sum = Range::Between(a.low >= 0 ? 0 : -kInfinite, a.high <= 0 ? 0 : kInfinite);
  sum.nan = a.nan || (a.low < 0 && a.high > 0);
  sum.integer = a.integer;
  sum.loose = {a.low < 0 || a.loose.low, a.high > 0 || a.loose.high};
  return WithSignOf(sum, a);
}

}  // namespace

Range SumOf(const Range& a, std::optional<double> count) {
  if (!count && !a.IsEmpty()) return SumOfSome(a);
  const double all = count.value_or(0);
  if (a.IsEmpty() || all == 0) return Inherit(Range::Point(0), a, a);
  Range result = Inherit(Range::Between(BoundProduct(a.low, all), BoundProduct(a.high, all)), a, a);
  // Partial sums may be larger than the result.
  const auto size = [](double bound) { return std::isinf(bound) ? 0 : std::abs(bound); };
  const double error = SumError(all) * std::max(size(a.low), size(a.high)) * all;
  if (a.low < 0 && a.high > 0) {
    result.low = std::min(result.low, a.low);
    result.high = std::max(result.high, a.high);
  }
  const bool exact = a.integer && BoundProduct(a.Magnitude(), all) <= 0x1p24;
  result.nan = a.nan || (a.low == -kInfinite && a.high == kInfinite);
  result.integer = a.integer;
  // Elements of one sign may all be the largest, but mixed signs rarely all add up.
  const bool mixed = all > 1 && a.low < 0 && a.high > 0;
  result.loose = {a.loose.low || mixed, a.loose.high || mixed};
  if (all == 1) {
    result.zero = a.zero;
    result.gap = a.gap;
  }
  result = InFloat32(Tightened(result), 0, exact || all == 1 || std::isinf(error) ? 0 : error);
  // If sums may overflow on both sides, infinities may cancel to NaN.
  if (all > 1 && result.low == -kInfinite && result.high == kInfinite) result.nan = true;
  return WithSignOf(result, a);
}

}  // namespace opledger
