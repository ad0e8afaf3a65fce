// Operators that make one number of many, and those that normalise by such a number.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// An average lies within the bounds, but for the rounding of the sum that it is made of.
Range Average(const Range& x, std::optional<double> count) {
  if (x.IsEmpty()) return x;
  Range result = x;
  result.integer = false;
  result.gap = 0;
  result.zero = x.zero || (x.low < 0 && x.high > 0);
  result.nan = x.nan || (x.low == -kInfinite && x.high == kInfinite);
  const double error = count ? *count * 0x1p-23 : 0x1p-4;
  // A sum that overflows is infinite, whatever it is divided by.
  const double sum = x.Magnitude() * count.value_or(0x1p40);
  result = InFloat32(Tightened(result), 0, std::isinf(x.Magnitude()) ? 0 : x.Magnitude() * error);
  if (sum > 0x1p127 && x.high > 0) result.high = kInfinite;
  if (sum > 0x1p127 && x.low < 0) result.low = -kInfinite;
  if (x.low >= 0) result.low = std::max(result.low, x.low / 2);
  if (x.high <= 0) result.high = std::min(result.high, x.high / 2);
  return Tightened(result);
}

Range SquareRootOf(const Range& x) {
  Range result =
      InFloat32(Range::Between(std::sqrt(std::max(0.0, x.low)), std::sqrt(std::max(0.0, x.high))));
  result.nan = x.nan;
  result.loose = x.loose;
  result.low = std::max(0.0, result.low);
  return Tightened(result);
}

// Numbers divided by their root mean square, after their mean has been subtracted or not: one
// number of n can take it all. `guarded`: a positive number is added to the square.
Range Normalised(const Range& x, std::optional<double> count, bool guarded) {
  const double most = count ? std::sqrt(*count) : kInfinite;
  Range result = Range::Between(-most, most);
  result.nan = x.nan || !guarded || x.MayBeInfinite();
  result.loose = {true, true};
  return InFloat32(result, 0x1p-10);
}

Range Affine(const Range& x, const Range& scale, const Range& bias) {
  return Sum(Product(x, scale), bias);
}

// The axes from `axis` to the last one.
std::optional<double> CountFrom(const RangeContext& node, std::int64_t axis) {
  const Shape* shape = node.InputShape(0);
  if (shape == nullptr) return std::nullopt;
  Integers axes;
  const auto rank = static_cast<std::int64_t>(shape->size());
  for (std::int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) axes.push_back(i);
  return axes.empty() ? 1 : node.CountAlong(0, axes);
}

// Whether a window may lie in the padding.
bool MayLackNumbers(const RangeContext& node) {
  if (node.Integer("ceil_mode", 0) != 0) return true;
  const Integers kernel = node.List("kernel_shape");
  const Integers pads = node.List("pads");
  for (std::size_t i = 0; i < pads.size() && !kernel.empty(); ++i) {
    if (pads[i] >= kernel[i % kernel.size()]) return true;
  }
  return false;
}

}  // namespace

void ReduceRanges(RangeContext& node) {
  const std::string_view op = node.Op();
  const Range& x = node.In(0);
  const auto axes = node.AttributeOrInput("axes", 1);
  const bool noop = axes && axes->empty() && node.Integer("noop_with_empty_axes", 0) != 0;
  const auto count = noop ? std::optional(1.0) : node.CountAlong(0, axes);
  const TensorRange& input = node.Input(0);
  // All of a constant.
  const bool whole = input.elements != nullptr && axes && !noop &&
                     (axes->empty() || input.elements->shape.size() == 1);
  const auto folded = [&](Range first, Range (*function)(const Range&, const Range&)) {
    for (const Range& each : input.elements->numbers) first = function(first, each);
    return first;
  };
  if (whole && !input.elements->numbers.empty() && (op == "ReduceMax" || op == "ReduceMin")) {
    return node.Set(folded(input.elements->numbers[0], op == "ReduceMax" ? Greatest : Least));
  }
  if (op == "ReduceMax" || op == "ReduceMin") {
    Range result = x;
    if (!count || *count == 0) result = Hull(result, Range::Between(-kInfinite, kInfinite));
    if (!count) result = x;  // of no numbers at all, which no model reduces
    return node.Set(result);
  }
  Range sum = whole ? folded(Range::Point(0), Sum) : SumOf(x, count);
  sum.reach = ReachOf(x) >= 255 ? ReachOf(x) : 0;
  // Numbers of one sign add up: a quarter of the most that they can.
  const bool adds_up = count && x.low >= 0 && x.IsBounded() && !x.loose.Any();
  if (node.presumes() && adds_up) sum.reach = std::max(sum.reach, x.high * *count / 4);
  if (op == "ReduceSum") return node.Set(sum);
  if (op == "ReduceMean") {
    Range mean = Average(x, count);
    mean.reach = sum.reach;
    return node.Set(mean);
  }
  if (op == "ReduceL1") return node.Set(SumOf(Magnitudes(x), count));
  if (op == "ReduceSumSquare") return node.Set(SumOf(Square(x), count));
  if (op == "ReduceL2") return node.Set(SquareRootOf(SumOf(Square(x), count)));
  if (op == "ReduceProd" && whole) return node.Set(folded(Range::Point(1), Product));
  if (op == "ReduceProd" && x.integer && x.low >= 0) {
    Range product = Range::Integers(0, kInfinite);
    product.nan = x.nan;
    node.Set(product);
  }
}

void CumSumRanges(RangeContext& node) {
  const Shape* shape = node.InputShape(0);
  const auto axis = node.Input(1).Integers();
  const auto count = axis && axis->size() == 1 && shape != nullptr ? node.CountAlong(0, axis)
                                                                   : std::optional<double>();
  const Range& x = node.In(0);
  Range sum = Hull(SumOf(x, count), x);
  if (node.Integer("exclusive", 0) != 0 || (x.low < 0 && x.high > 0)) {
    sum = Hull(sum, Range::Point(0));
  }
  if (x.low < 0 && x.high > 0 && !x.integer) sum.gap = 0;
  sum.zero = sum.zero || (x.low < 0 && x.high > 0);
  sum.integer = x.integer;
  sum.loose = {x.low < 0 || x.loose.low, x.high > 0 || x.loose.high};
  node.Set(Tightened(sum));
}

void PoolRanges(RangeContext& node) {
  const Range& x = node.In(0);
  const std::string_view op = node.Op();
  if (op == "MaxPool" || op == "GlobalMaxPool") {
    // A window of padding alone, or of NaN, has no largest number.
    const bool empty = x.nan || MayLackNumbers(node);
    node.Set(empty && !node.presumes() ? Hull(x, Range::Between(-kInfinite, -kInfinite)) : x);
    return node.Set(Range::Integers(0, 0x1p62), 1);
  }
  if (op != "AveragePool" && op != "GlobalAveragePool") return;
  std::optional<double> count;
  const Integers kernel = node.List("kernel_shape");
  if (op == "AveragePool" && !kernel.empty()) {
    count = 1;
    for (const std::int64_t each : kernel) *count *= static_cast<double>(each);
  }
  const Integers pads = node.List("pads");
  const bool padded = !node.Text("auto_pad").empty() ||
                      std::any_of(pads.begin(), pads.end(), [](auto each) { return each != 0; });
  node.Set(Average(padded ? Hull(x, Range::Point(0)) : x, count));
}

void SoftmaxRanges(RangeContext& node) {
  const Range& x = node.In(0);
  Range result = Range::Between(0, 1);
  if (node.Op() == "LogSoftmax") result = Range::Between(-kInfinite, 0);
  result = InFloat32(result, 0x1p-18, 0);
  result.low = node.Op() == "LogSoftmax" ? -kInfinite : 0;
  // A row of which nothing is finite, or something infinite.
  result.nan = x.nan || x.MayBeInfinite();
  node.Set(result);
}

void NormalizationRanges(RangeContext& node) {
  const std::string_view op = node.Op();
  if (op == "LpNormalization") {
    Range result = Range::Between(-1, 1);
    result.nan = true;  // of zeros alone
    return node.Set(InFloat32(result, 0x1p-10));
  }
  const bool guarded = node.Number("epsilon", 1e-5) > 0;
  std::optional<double> count;
  if (op == "LayerNormalization" || op == "RMSNormalization" ||
      op == "SimplifiedLayerNormalization") {
    count = CountFrom(node, node.Integer("axis", -1));
  }
  Range x = Normalised(node.In(0), count, guarded);
  const Range bias = node.HasInput(2) ? node.In(2) : Range::Point(0);
  Range result = node.HasInput(1) ? Affine(x, node.In(1), bias) : x;
  result.loose = {true, true};
  node.Set(result);
}

void BatchNormalizationRanges(RangeContext& node) {
  if (node.InputCount() < 5 || node.Integer("training_mode", 0) != 0) return;
  Range spread = SquareRootOf(Sum(node.In(4), Range::Point(node.Number("epsilon", 1e-5))));
  spread.nan = spread.nan || node.In(4).low < 0;
  const Range centred = Difference(node.In(0), node.In(3));
  // Kernels fold scale and spread into one factor, and mean and bias into one addend.
  Range result = Affine(Quotient(centred, spread), node.In(1), node.In(2));
  const double size = result.Magnitude();
  result = InFloat32(result, 0, std::isinf(size) ? 0 : size * 0x1p-16);
  const Range factor = Quotient(node.In(1), spread);
  const Range addend = Difference(node.In(2), Product(node.In(3), factor));
  result.nan = result.nan || factor.MayBeInfinite() || addend.MayBeInfinite();
  result.loose = {true, true};
  node.Set(result);
}

void IndexRanges(RangeContext& node) {
  const Shape* shape = node.InputShape(0);
  double most = 0x1p62;
  if (shape != nullptr && !shape->empty() && node.Op().starts_with("Arg")) {
    const auto axis = node.CountAlong(0, Integers{node.Integer("axis", 0)});
    if (axis && *axis > 0) most = *axis - 1;
  }
  for (std::size_t i = 0; i < node.OutputCount(); ++i) node.Set(Range::Integers(0, most), i);
}

void TopKRanges(RangeContext& node) {
  node.Set(node.In(0));
  double most = 0x1p62;
  const auto axis = node.CountAlong(0, Integers{node.Integer("axis", -1)});
  if (axis && *axis > 0) most = *axis - 1;
  node.Set(Range::Integers(0, most), 1);
}

}  // namespace opledger
