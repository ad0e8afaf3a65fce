// Ranges of casts and of quantized values.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// Rounds toward zero. NaN and values outside the type's range may become any integer of the type.
Range AsIntegers(const Range& x, Dtype to) {
  if (to == Dtype::kBool) {
    if (x.IsPoint()) return Range::Point(x.low != 0 ? 1 : 0);
    return !x.zero && !x.nan ? Range::Point(1) : Range::Integers(0, 1);
  }
  if (x.nan || x.MayBeInfinite()) return RangeOf(to);
  Range whole = Range::Integers(std::trunc(x.low), std::trunc(x.high));
  whole.loose = x.loose;
  return Rounded(whole, to);
}

}  // namespace

void CastRanges(RangeContext& node) {
  const auto to = node.OutputType(0);
  if (!to || *to == Dtype::kString || node.InputType(0) == Dtype::kString) return;
  const bool integers = IsInteger(*to);
  const bool small = *to == Dtype::kFloat8E4M3 || *to == Dtype::kFloat8E5M2;
  if (small) return;  // kernels may saturate or not
  node.Set(Mapped(node.Input(0), [&](const Range& each) {
    return integers ? AsIntegers(each, *to) : Rounded(each, *to);
  }));
}

void DequantizeRanges(RangeContext& node) {
  const auto type = node.InputType(0);
  Range numbers = node.In(0);
  if (type && IsInteger(*type)) numbers = Intersection(numbers, RangeOf(*type));
  const Range zero = node.HasInput(2) ? node.In(2) : Range::Point(0);
  Range result = Product(Difference(numbers, zero), node.In(1));
  node.Set(result);
}

}  // namespace opledger
