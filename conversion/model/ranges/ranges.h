// Ranges describe the elements of a tensor without running the model: bounds, the distance from
// zero, whether they are integers. This header has a range, its arithmetic, and rounding to a type.
// Every operation is sound for float32 kernels: bounds are rounded outward, and operations that may
// yield NaN or infinity record it.
// May include: conversion/model/half, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "registry/text/dtype.h"

namespace opledger {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Marks bounds that are the worst case of a sum, which real data hardly reaches. They prove that a
// value fits into a type, but not that it does not fit.
struct Looseness {
  bool low = false;
  bool high = false;

  bool Any() const { return low || high; }
  bool operator==(const Looseness&) const = default;
};

// The default range means that nothing is known.
struct Range {
  double low = -kInfinite;  // every element other than NaN is at least this
  double high = kInfinite;  // low > high: no elements, or only NaN
  double gap = 0;           // nonzero elements have at least this magnitude
  bool zero = true;         // zero may occur
  bool nan = true;          // NaN may occur
  bool integer = false;     // all finite elements are integers
  Looseness loose;
  // An assumption for hazards that proves nothing: the magnitude that elements reach if the data
  // that enters the model is of ordinary size; 0: no assumption.
  double reach = 0;

  static Range Point(double number);
  static Range Between(double low, double high);  // without NaN
  static Range Integers(double low, double high);
  static Range Nothing();  // for a tensor without elements

  bool IsEmpty() const { return low > high; }
  bool IsPoint() const { return low == high && !nan; }
  bool IsBounded() const { return low > -kInfinite && high < kInfinite && !IsEmpty(); }
  bool IsUnknown() const { return low == -kInfinite && high == kInfinite && gap == 0; }
  double Magnitude() const;  // the largest magnitude
  bool MayBeInfinite() const { return low == -kInfinite || high == kInfinite; }
  // Returns whether the range contains a number, including NaN and infinities.
  bool Contains(double number) const;
  bool operator==(const Range&) const = default;
};

// Makes bounds, gap and zero consistent.
Range Tightened(Range range);
// Contains all numbers of both.
Range Hull(const Range& a, const Range& b);
// Combines two ranges of the same elements.
Range Intersection(const Range& a, const Range& b);

// Rounds bounds that were computed in double outward to what a float32 kernel may return, whose
// error is at most `relative` of the result plus `absolute`.
Range InFloat32(Range range, double relative = 0, double absolute = 0);
// Returns the result of rounding to nearest in a type. If integers wrap, the whole range of the
// type.
Range Rounded(const Range& range, Dtype dtype);
// Returns the range of a tensor of the type.
Range RangeOf(Dtype dtype);

// The largest finite number of a floating-point type, and the largest N such that the type
// represents all integers up to N.
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
Range Least(const Range& a, const Range& b);     // the smaller of each pair
Range Greatest(const Range& a, const Range& b);  // the larger of each pair
// Returns the sum of `count` elements, which may all differ. nullopt: an unknown count of at least
// one.
Range SumOf(const Range& a, std::optional<double> count);

}  // namespace opledger
