// What is known of the numbers of a tensor without running the model: bounds, the distance from
// zero, whether they are whole. Here: one such range, its arithmetic, and what rounding to a type
// makes of it. Every operation is sound for a kernel that computes in float32: bounds are rounded
// outward, and an operation that may yield NaN or infinity says so.
// May include: conversion/model/half, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "registry/text/dtype.h"

namespace opledger {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Which bounds are the worst case of a sum, which real data hardly reaches: they prove that a value
// fits into a type, but not that it does not.
struct Looseness {
  bool low = false;
  bool high = false;

  bool Any() const { return low || high; }
  bool operator==(const Looseness&) const = default;
};

// The default range is that of a value of which nothing is known.
struct Range {
  double low = -kInfinite;  // every number that is not NaN is at least this
  double high = kInfinite;  // low > high: there is no number but NaN, or none at all
  double gap = 0;           // numbers that are not zero have at least this magnitude
  bool zero = true;         // zero may occur
  bool nan = true;          // NaN may occur
  bool integer = false;     // all finite numbers are whole
  Looseness loose;
  // Presumptions for hazards; they prove nothing. The magnitude that numbers reach if the data
  // that enters the model is of ordinary size; 0: nothing is presumed.
  double reach = 0;

  static Range Point(double number);
  static Range Between(double low, double high);  // without NaN
  static Range Integers(double low, double high);
  static Range Nothing();  // of a tensor without numbers

  bool IsEmpty() const { return low > high; }
  bool IsPoint() const { return low == high && !nan; }
  bool IsBounded() const { return low > -kInfinite && high < kInfinite && !IsEmpty(); }
  bool IsUnknown() const { return low == -kInfinite && high == kInfinite && gap == 0; }
  double Magnitude() const;  // the largest
  bool MayBeInfinite() const { return low == -kInfinite || high == kInfinite; }
  // Whether a number (NaN and infinities included) is one of the range.
  bool Contains(double number) const;
  bool operator==(const Range&) const = default;
};

// The range with bounds, gap and zero brought into agreement with each other.
Range Tightened(Range range);
// All numbers of both.
Range Hull(const Range& a, const Range& b);
// What both say of the same numbers.
Range Intersection(const Range& a, const Range& b);

// Bounds that were computed in double, rounded outward to what a float32 kernel may give, whose
// error is at most `relative` of the result and `absolute`.
Range InFloat32(Range range, double relative = 0, double absolute = 0);
// What rounding the numbers to nearest in a type makes of them; wrapped integers: all of the type.
Range Rounded(const Range& range, Dtype dtype);
// What a tensor of the type may hold.
Range RangeOf(Dtype dtype);

// The largest finite number of a floating-point type, and the largest integer up to which it has
// all integers.
double LargestOf(Dtype dtype);
double LargestExactInteger(Dtype dtype);

// "[0, 1e+05]", "unbounded", "at least 1e-12".
std::string RangeText(const Range& range);

Range Negated(const Range& a);
Range Sum(const Range& a, const Range& b);
Range Difference(const Range& a, const Range& b);
Range Product(const Range& a, const Range& b);
Range Quotient(const Range& a, const Range& b);
Range Square(const Range& a);
Range Magnitudes(const Range& a);
Range Least(const Range& a, const Range& b);     // of each pair the smaller
Range Greatest(const Range& a, const Range& b);  // of each pair the larger
// The sum of `count` numbers, none of which need be the same as another; none: of at least one.
Range SumOf(const Range& a, std::optional<double> count);

}  // namespace opledger
