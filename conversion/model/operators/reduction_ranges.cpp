// Ranges of reductions, and of operators that normalize by a reduction.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// An average lies within the bounds, apart from the rounding error of the sum.
Range Average(const Range& x, std::optional<double> count) {
  if (x.IsEmpty()) return x;
  Range result = x;
  result.integer = false;
  result.gap = 0;
  result.zero = x.zero || (x.low < 0 && x.high > 0);
  result.nan = x.nan || (x.low == -kInfinite && x.high == kInfinite);
  const double error = count ? *count * 0x1p-23 : 0x1p-4;
  // A sum that overflows stays infinite when it is divided.
  const double sum = x.Magnitude() * count.value_or(0x1p40);
  result = InFloat32(Tightened(result), 0, FiniteMagnitude(x) * error);
  if (sum > 0x1p127 && x.high > 0) result.high = kInfinite;
  if (sum > 0x1p127 && x.low < 0) result.low = -kInfinite;
  // Opposite infinities may be added.
  if (sum > 0x1p127 && x.low < 0 && x.high > 0) result.nan = true;
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

// Divides elements by their root mean square, possibly after subtracting the mean: a single element
// may hold all of the magnitude. `guarded`: a positive number is added to the mean square, which
// otherwise may be zero for nonzero elements.
Range Normalised(const Range& x, std::optional<double> count, bool guarded) {
  const double most = count && guarded ? std::sqrt(*count) : kInfinite;
  Range result = Range::Between(-most, most);
  result.nan = x.nan || !guarded || x.MayBeInfinite();
  result.loose = {true, true};
  return InFloat32(result, 0x1p-10);
}

Range Affine(const Range& x, const Range& scale, const Range& bias) {
  return Sum(Product(x, scale), bias);
}

// Returns the number of elements along the axes from `axis` to the last one.
std::optional<double> CountFrom(const RangeContext& node, std::int64_t axis) {
  const Shape* shape = node.InputShape(0);
  if (shape == nullptr) return std::nullopt;
  Integers axes;
  const auto rank = static_cast<std::int64_t>(shape->size());
  for (std::int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) axes.push_back(i);
  return axes.empty() ? 1 : node.CountAlong(0, axes);
}

// Returns whether a window may lie entirely in the padding.
bool MayLackNumbers(const RangeContext& node) {
  if (node.Integer("ceil_mode", 0) != 0) return true;
  const Integers kernel = node.List("kernel_shape");
  const Integers pads = node.List("pads");
  for (std::size_t i = 0; i < pads.size() && !kernel.empty(); ++i) {
    if (pads[i] >= kernel[i % kernel.size()]) return true;
  }
  return false;
}

// Returns whether elements can be reduced in any order with about the same result: no partial sum
// or product leaves the range of float32.
bool IsOrderless(const ElementRanges& elements) {
  double sum = 0;
  double most = 1;
  double least = 1;
  for (const Range& each : elements.numbers) {
    if (each.nan) return false;
    sum += each.Magnitude();
    most *= std::max(1.0, each.Magnitude());
    least *= each.zero ? 1 : std::min(1.0, each.gap);
  }
  return sum < 0x1p127 && most < 0x1p127 && least > 0x1p-126;
}

// Bounds how much a sum of known elements depends on their order.
double ErrorOfSum(const std::vector<Range>& numbers) {
  double sum = 0;
  double roundings = -1;  // the first element needs no rounding
  bool whole = true;
  for (const Range& each : numbers) {
    sum += each.Magnitude();
    roundings += each.Magnitude() > 0;
    whole = whole && each.integer;
  }
  return whole && sum <= 0x1p24 ? 0 : sum * std::max(0.0, roundings) * 0x1p-23;
}

// Returns the indices along a dimension of `count` elements, or of unknown size.
Range PositionsBelow(std::optional<double> count) {
  if (count && *count > 0) return Range::Integers(0, *count - 1);
  Range positions = Range::Integers(0, 0x1p62);
  positions.loose.high = true;
  return positions;
}

}  // namespace

void ReduceRanges(RangeContext& node) {
  const std::string_view op = node.Op();
  const Range& x = node.In(0);
  const auto axes = node.AttributeOrInput("axes", 1);
  const bool noop = axes && axes->empty() && node.Integer("noop_with_empty_axes", 0) != 0;
  const auto count = noop ? std::optional(1.0) : node.CountAlong(0, axes);
  const TensorRange& input = node.Input(0);
  // The reduction covers a whole constant.
  const bool whole = input.elements != nullptr && axes && !noop &&
                     (axes->empty() || input.elements->shape.size() == 1);
  const auto folded = [&](Range first, Range (*function)(const Range&, const Range&)) {
    for (const Range& each : input.elements->numbers) first = function(first, each);
    return first;
  };
  // Some kernels ignore NaN.
  if (whole && !x.nan && !input.elements->numbers.empty() &&
      (op == "ReduceMax" || op == "ReduceMin")) {
    return node.Set(folded(input.elements->numbers[0], op == "ReduceMax" ? Greatest : Least));
  }
  if (op == "ReduceMax" || op == "ReduceMin") {
    Range result = x;
    if (!count || *count == 0) result = Hull(result, Range::Between(-kInfinite, kInfinite));
    if (!count) result = x;  // an empty reduction, which models do not contain
    return node.Set(result);
  }
  const bool orderless = whole && IsOrderless(*input.elements);
  Range sum = orderless ? folded(Range::Point(0), Sum) : SumOf(x, count);
  // If `presumes`, a constant just below one is assumed to be exact.
  if (orderless && !node.presumes()) sum = InFloat32(sum, 0, ErrorOfSum(input.elements->numbers));
  sum.reach = ReachOf(x) >= kUnit ? ReachOf(x) : 0;
  // Elements of one sign add up: assume a quarter of the largest possible sum.
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
  if (op == "ReduceL2" && node.IsIntegral(0)) return;
  if (op == "ReduceL2") return node.Set(SquareRootOf(SumOf(Square(x), count)));
  if (op == "ReduceProd" && orderless) {
    const double error = static_cast<double>(input.elements->numbers.size()) * 0x1p-23;
    return node.Set(InFloat32(folded(Range::Point(1), Product), x.integer ? 0 : error));
  }
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
    // A window of only padding or NaN has no maximum.
    const bool empty = x.nan || x.low == -kInfinite || MayLackNumbers(node);
    node.Set(empty && !node.presumes()
                 ? Hull(x, Range::Between(-kInfinite, -LargestOf(Dtype::kFloat32)))
                 : x);
    return node.Set(PositionsBelow(std::nullopt), 1);
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
  // The row may have no finite element, or an infinite one.
  result.nan = x.nan || x.MayBeInfinite();
  node.Set(result);
}

void NormalizationRanges(RangeContext& node) {
  const std::string_view op = node.Op();
  if (op == "LpNormalization") {
    // Squares near the limits of float32 may be off by up to a half.
    const double most = node.Integer("p", 2) == 1 ? 1 : 1.25;
    Range result = Range::Between(-most, most);
    result.nan = true;  // if all elements are zero
    return node.Set(InFloat32(result, 0x1p-10));
  }
  const double epsilon = node.Number("epsilon", 1e-5);
  const bool guarded = epsilon > 0;
  std::optional<double> count;
  if (op == "LayerNormalization" || op == "RMSNormalization" ||
      op == "SimplifiedLayerNormalization") {
    count = CountFrom(node, node.Integer("axis", -1));
  }
  Range x = Normalised(node.In(0), count, guarded);
  if (op == "LayerNormalization" && count && guarded && !node.presumes()) {
    // If elements differ by little more than their rounding error, the variance may be lost.
    const double lost = node.In(0).Magnitude() * std::sqrt(*count * 0x1p-22 / epsilon);
    x.low *= 1 + lost;
    x.high *= 1 + lost;
  }
  // Sums of squares may overflow; kernels may multiply the scale by the reciprocal of the root
  // first.
  const double squares = node.In(0).Magnitude() * node.In(0).Magnitude() * count.value_or(0x1p40);
  const double scale = node.HasInput(1) ? node.In(1).Magnitude() : 1;
  if (squares > 0x1p127 || scale / std::sqrt(epsilon) > 0x1p127) x.nan = true;
  // ONNX's definition subtracts the squared mean from the mean of squares, which may give a
  // negative result.
  if (op == "GroupNormalization" && squares * 0x1p-22 > epsilon) x.nan = true;
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
  // Kernels fold scale and spread into a factor, and mean and bias into an addend.
  Range result = Affine(Quotient(centred, spread), node.In(1), node.In(2));
  const Range factor = Quotient(node.In(1), spread);
  const double terms =
      std::max(FiniteMagnitude(node.In(0)), FiniteMagnitude(node.In(3))) * FiniteMagnitude(factor);
  result = InFloat32(result, 0, (terms + FiniteMagnitude(node.In(2))) * 0x1p-21);
  const Range addend = Difference(node.In(2), Product(node.In(3), factor));
  result.nan = result.nan || factor.MayBeInfinite() || addend.MayBeInfinite();
  result.loose = {true, true};
  node.Set(result);
}

void IndexRanges(RangeContext& node) {
  const Shape* shape = node.InputShape(0);
  std::optional<double> count;
  if (shape != nullptr && !shape->empty() && node.Op().starts_with("Arg")) {
    count = node.CountAlong(0, Integers{node.Integer("axis", 0)});
  }
  for (std::size_t i = 0; i < node.OutputCount(); ++i) node.Set(PositionsBelow(count), i);
}

void TopKRanges(RangeContext& node) {
  node.Set(node.In(0));
  node.Set(PositionsBelow(node.CountAlong(0, Integers{node.Integer("axis", -1)})), 1);
}

}  // namespace opledger
