// Creates, joins, rounds and prints ranges.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/ranges/ranges.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "conversion/model/half/half_bits.h"

namespace opledger {
namespace {

constexpr double kLeastNormalFloat32 = 0x1p-126;

double Down(double number) { return std::nextafter(number, -kInfinite); }

double InType(double number, Dtype dtype) {
  const auto single = static_cast<float>(number);
  switch (dtype) {
    case Dtype::kFloat16:
      return static_cast<double>(FromFloat16(ToFloat16(single)));
    case Dtype::kBfloat16:
      return static_cast<double>(FromBfloat16(ToBfloat16(single)));
    case Dtype::kFloat32:
      return static_cast<double>(single);
    default:
      return number;
  }
}

// Returns the shortest text of the nearest float32 number.
std::string NumberText(double number) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, static_cast<float>(number == 0 ? 0 : number)).ptr;
  return {text, end};
}

}  // namespace

Range Range::Point(double number) {
  Range range = Between(number, number);
  range.integer = std::isfinite(number) && std::nearbyint(number) == number;
  if (std::isnan(number)) {
    range = Nothing();
    range.nan = true;
  }
  return range;
}

Range Range::Between(double low, double high) {
  Range range;
  range.low = low;
  range.high = high;
  range.nan = false;
  return Tightened(range);
}

Range Range::Integers(double low, double high) {
  Range range = Between(low, high);
  range.integer = true;
  return Tightened(range);
}

Range Range::Nothing() {
  Range range;
  range.low = kInfinite;
  range.high = -kInfinite;
  range.zero = false;
  range.nan = false;
  range.integer = true;
  return range;
}

double Range::Magnitude() const { return IsEmpty() ? 0 : std::max(std::abs(low), std::abs(high)); }

bool Range::Contains(double number) const {
  if (std::isnan(number)) return nan;
  if (number < low || number > high) return false;
  if (number == 0) return zero;
  if (std::abs(number) < gap) return false;
  return !integer || std::isinf(number) || std::nearbyint(number) == number;
}

Range Tightened(Range range) {
  // A bound that is NaN is unknown.
  if (std::isnan(range.low)) range.low = -kInfinite;
  if (std::isnan(range.high)) range.high = kInfinite;
  if (std::isnan(range.gap)) range.gap = 0;
  if (range.IsEmpty()) return range;
  if (range.integer) range.gap = std::max(range.gap, 1.0);
  if (range.low > 0 || range.high < 0) range.zero = false;
  if (range.low > 0) range.gap = std::max(range.gap, range.low);
  if (range.high < 0) range.gap = std::max(range.gap, -range.high);
  if (range.low > -range.gap && range.low <= 0) range.low = range.zero ? 0 : range.gap;
  if (range.high < range.gap && range.high >= 0) range.high = range.zero ? 0 : -range.gap;
  return range;
}

Range Hull(const Range& a, const Range& b) {
  Range hull = a.IsEmpty() ? b : a;
  hull.nan = a.nan || b.nan;
  if (a.IsEmpty() || b.IsEmpty()) return hull;
  hull.low = std::min(a.low, b.low);
  hull.high = std::max(a.high, b.high);
  // A range that only holds zero does not limit the gap.
  const auto gap = [](const Range& each) { return each.Magnitude() == 0 ? kInfinite : each.gap; };
  hull.gap = std::min(gap(a), gap(b));
  if (hull.gap == kInfinite) hull.gap = a.gap;
  hull.zero = a.zero || b.zero;
  hull.integer = a.integer && b.integer;
  hull.loose = {a.low <= b.low ? a.loose.low : b.loose.low,
                a.high >= b.high ? a.loose.high : b.loose.high};
  hull.reach = std::max(a.reach, b.reach);
  return hull;
}

Range Intersection(const Range& a, const Range& b) {
  Range both = a;
  both.low = std::max(a.low, b.low);
  both.high = std::min(a.high, b.high);
  both.gap = std::max(a.gap, b.gap);
  both.zero = a.zero && b.zero;
  both.nan = a.nan && b.nan;
  both.integer = a.integer || b.integer;
  both.loose = {a.low >= b.low ? a.loose.low : b.loose.low,
                a.high <= b.high ? a.loose.high : b.loose.high};
  return Tightened(both);
}

Range InFloat32(Range range, double relative, double absolute) {
  if (range.IsEmpty()) return range;
  const auto lowered = [&](double number) {
    const double less = number - std::abs(number) * relative - absolute;
    const double rounded = InType(std::isfinite(number) ? Down(less) : number, Dtype::kFloat32);
    // Integer kernels do not round, and neither does double for integers up to 2^53.
    const bool exact = std::abs(less) < 0x1p53;
    return range.integer ? std::min(rounded, exact ? less : Down(less)) : rounded;
  };
  range.low = lowered(range.low);
  range.high = -lowered(-range.high);
  if (absolute > 0 && range.zero) range.gap = 0;  // the error applies to zero too
  if (range.gap > 0) {
    range.gap = std::max(0.0, lowered(range.gap));
    if (range.gap < kLeastNormalFloat32) {  // may be flushed to zero
      range.gap = 0;
      range.zero = true;
      if (range.low > 0) range.low = 0;
      if (range.high < 0) range.high = 0;
    }
  }
  return Tightened(range);
}

Range Rounded(const Range& range, Dtype dtype) {
  if (range.IsEmpty()) return range;
  if (IsInteger(dtype)) {
    const Range all = RangeOf(dtype);
    return range.low < all.low || range.high > all.high || range.nan ? all : range;
  }
  Range rounded = range;
  rounded.low = InType(range.low, dtype);
  rounded.high = InType(range.high, dtype);
  rounded.gap = InType(range.gap, dtype);
  const double least = dtype == Dtype::kFloat16 ? 0x1p-24 : 0;
  if (rounded.gap == 0) {
    rounded.zero = range.zero || range.Magnitude() > 0;
    rounded.gap = least;
  }
  if (range.low > 0 && rounded.low == 0) rounded.zero = true;
  if (range.high < 0 && rounded.high == 0) rounded.zero = true;
  rounded.reach = InType(range.reach, dtype);
  return Tightened(rounded);
}

Range RangeOf(Dtype dtype) {
  if (dtype == Dtype::kBool) return Range::Integers(0, 1);
  if (!IsInteger(dtype)) return {};
  const int bits = DtypeBits(dtype);
  const bool is_signed = dtype == Dtype::kInt4 || dtype == Dtype::kInt8 || dtype == Dtype::kInt16 ||
                         dtype == Dtype::kInt32 || dtype == Dtype::kInt64;
  Range range = is_signed ? Range::Integers(-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1)
                          : Range::Integers(0, std::ldexp(1, bits) - 1);
  // Few tensors use the whole range of a type.
  range.loose = {true, true};
  return range;
}

double LargestOf(Dtype dtype) {
  return dtype == Dtype::kFloat16 ? 65504 : dtype == Dtype::kBfloat16 ? 0x1.fep127 : 0x1.fffffep127;
}

double LargestExactInteger(Dtype dtype) {
  return dtype == Dtype::kFloat16 ? 2048 : dtype == Dtype::kBfloat16 ? 256 : 0x1p24;
}

std::string RangeText(const Range& range) {
  if (range.IsEmpty()) return range.nan ? "NaN" : "empty";
  const std::string kind = range.integer ? "integers " : "";
  if (range.low == -kInfinite && range.high == kInfinite) return kind + "unbounded";
  if (range.high == kInfinite) return kind + "at least " + NumberText(range.low);
  if (range.low == -kInfinite) return kind + "at most " + NumberText(range.high);
  if (range.low == range.high) return NumberText(range.low);
  return kind + "in [" + NumberText(range.low) + ", " + NumberText(range.high) + "]";
}

}  // namespace opledger
