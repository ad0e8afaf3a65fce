// Ranges of operators that compute from shapes and attributes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// A bound on a dimension or an element count.
constexpr double kMost = 0x1p62;

// Bounds the error of an element of Range after this many additions of the step.
double DriftOf(double size, double steps) { return std::max(0.0, steps) * 0x1p-23 * size; }

}  // namespace

// ValueAnalysis passes the attribute "value" as an additional input.
void ConstantOfShapeRanges(RangeContext& node) {
  const auto shape = node.Input(0).Integers();
  const Range value = node.In(1);
  if (!shape || CountOf(*shape) > kMaxElements) return node.Set(value);
  node.Set(OfElements(*shape, std::vector<Range>(CountOf(*shape), value)));
}

void ShapeRanges(RangeContext& node) {
  const Shape* shape = node.InputShape(0);
  if (shape == nullptr) return node.Set(Range::Integers(0, kMost));
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = bound(node.Integer("start", 0));
  const std::int64_t end = std::max(begin, bound(node.Integer("end", rank)));
  std::vector<Range> numbers;
  for (std::int64_t i = begin; i < end; ++i) {
    numbers.push_back(Range::Point(static_cast<double>((*shape)[static_cast<std::size_t>(i)])));
  }
  node.Set(OfElements({end - begin}, std::move(numbers)));
}

void SizeRanges(RangeContext& node) {
  const auto count = node.CountAlong(0, Integers{});
  if (!count) return node.Set(Range::Integers(0, kMost));
  node.Set(OfElements({}, {Range::Point(*count)}));
}

void RangeRanges(RangeContext& node) {
  const Range& start = node.In(0);
  const Range& limit = node.In(1);
  const Range& delta = node.In(2);
  Range result;
  if (!start.nan && !limit.nan && delta.low > 0) {
    result = Range::Between(start.low, std::max(limit.high, start.high));
  } else if (!start.nan && !limit.nan && delta.high < 0) {
    result = Range::Between(std::min(limit.low, start.low), start.high);
  }
  const double size = std::max({start.Magnitude(), limit.Magnitude(), result.Magnitude()});
  result.integer = start.integer && delta.integer && (size <= 0x1p24 || node.IsIntegral(0));
  const double most =
      delta.low > 0 ? (limit.high - start.low) / delta.low : (start.high - limit.low) / -delta.high;
  const double drift = DriftOf(size, most);
  if (!result.integer) result = std::isfinite(drift) ? InFloat32(result, 0, drift) : Range();
  // The last element is before the limit.
  const bool whole = result.integer && limit.integer;
  if (whole && delta.low > 0) result.high = std::max(start.high, result.high - 1);
  if (whole && delta.high < 0) result.low = std::min(start.low, result.low + 1);
  const bool known = start.IsPoint() && limit.IsPoint() && delta.IsPoint() && delta.low != 0;
  const double steps = known ? (limit.low - start.low) / delta.low : kMaxElements + 1.0;
  // Rounding may decide whether the last element exists.
  const bool certain = whole || std::abs(steps - std::nearbyint(steps)) > 0x1p-16;
  const double count = std::max(0.0, std::ceil(steps));
  if (!certain || !(count <= kMaxElements)) return node.Set(Tightened(result));
  std::vector<Range> numbers;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const Range number = Range::Point(start.low + i * delta.low);
    const bool exact = whole || i == 0;
    numbers.push_back(exact ? number : InFloat32(number, 0, DriftOf(size, i)));
  }
  node.Set(OfElements({static_cast<std::int64_t>(count)}, std::move(numbers)));
}

void OneHotRanges(RangeContext& node) { node.Set(node.In(2)); }

void RandomRanges(RangeContext& node) {
  if (!node.Op().starts_with("RandomUniform")) return;
  node.Set(InFloat32(Range::Between(node.Number("low", 0), node.Number("high", 1)), 0x1p-20));
}

}  // namespace opledger
