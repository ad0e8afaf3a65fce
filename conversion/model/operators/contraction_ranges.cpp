// Ranges of sums of products. In the worst case, every product is the largest.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// Returns the sum of `count` products; nullopt if the count is unknown. `padded`: any number of
// them may be zero.
Range Contracted(const Range& a, const Range& b, std::optional<double> count, bool padded) {
  // Zero times an infinite weight is NaN.
  Range product = Product(padded ? Hull(a, Range::Point(0)) : a, b);
  Range result = SumOf(product, count);
  if (!count || *count > 1) {
    if (product.low < 0 && product.high > 0) {
      result.zero = true;
      result.gap = result.integer ? 1 : 0;
    }
    if (product.low >= 0 && product.zero) result.gap = result.integer ? 1 : 0;
  }
  // Weights are assumed to keep the order of magnitude; large weights are not assumed to increase
  // it.
  const double size = ReachOf(a) >= kUnit ? ReachOf(a) : a.reach;
  const double reach = std::max(size, b.reach);
  if (reach > 0) {
    const Range& other = size >= b.reach ? b : a;
    result.reach = reach * std::min(1.0, other.IsBounded() ? other.Magnitude() : 1.0);
  }
  return result;
}

// Returns the sum of `count` products and an addend, which kernels add first, last or with the last
// product.
Range WithAddend(const Range& products, const Range& addend, std::optional<double> count,
                 bool presumes) {
  Range sum = GuardedSum(products, addend, presumes);
  const double size = FiniteMagnitude(products) + FiniteMagnitude(addend);
  const double error = count ? std::min(1.0, (*count + 1) * 0x1p-23) : 1;
  const double reach = sum.reach;
  sum = InFloat32(sum, 0, sum.integer && size <= 0x1p24 ? 0 : size * error);
  // Rounding never changes the sign of a sum of terms of one sign, nor makes it less than half of a
  // term.
  if (products.low >= 0 && addend.low >= 0) {
    sum.low = std::max(sum.low, std::max(products.low, addend.low) / 2);
  }
  if (products.high <= 0 && addend.high <= 0) {
    sum.high = std::min(sum.high, std::min(products.high, addend.high) / 2);
  }
  sum.reach = reach;
  return Tightened(sum);
}

std::optional<double> DimensionOf(const Shape* shape, std::ptrdiff_t from_end) {
  if (shape == nullptr || static_cast<std::ptrdiff_t>(shape->size()) < from_end) return {};
  return static_cast<double>((*shape)[shape->size() - static_cast<std::size_t>(from_end)]);
}

}  // namespace

void MatMulRanges(RangeContext& node) {
  const Shape* b = node.InputShape(1);
  auto count = DimensionOf(node.InputShape(0), 1);
  if (!count && b != nullptr) count = DimensionOf(b, b->size() == 1 ? 1 : 2);
  Range result = Contracted(node.In(0), node.In(1), count, false);
  node.Set(result);
}

void GemmRanges(RangeContext& node) {
  const Shape* b = node.InputShape(1);
  const bool turned = node.Integer("transB", 0) != 0;
  const auto count = DimensionOf(b, turned ? 1 : 2);
  Range result = Contracted(node.In(0), node.In(1), count, false);
  const double alpha = node.Number("alpha", 1);
  const double beta = node.Number("beta", 1);
  // Kernels multiply either the sum or its terms.
  if (alpha != 1) result = InFloat32(Product(result, Range::Point(alpha)), 0x1p-22);
  if (node.HasInput(2) && beta != 0) {
    const Range addend = Product(node.In(2), Range::Point(beta));
    result = WithAddend(result, addend, count, node.presumes());
  }
  node.Set(result);
}

void ConvRanges(RangeContext& node) {
  const Shape* weight = node.InputShape(1);
  std::optional<double> count;
  const bool transposed = node.Op() == "ConvTranspose";
  if (weight != nullptr && weight->size() > 2) {
    count = 1;
    for (std::size_t i = transposed ? 0 : 1; i < weight->size(); ++i) {
      if (!transposed || i != 1) *count *= static_cast<double>((*weight)[i]);
    }
  }
  Range result = Contracted(node.In(0), node.In(1), count, true);
  if (node.HasInput(2)) result = WithAddend(result, node.In(2), count, node.presumes());
  node.Set(result);
}

void EinsumRanges(RangeContext& node) {
  Range product = node.In(0);
  for (std::size_t i = 1; i < node.InputCount(); ++i) {
    product = Contracted(product, node.In(i), std::nullopt, false);
  }
  if (node.InputCount() == 1) product = Contracted(product, Range::Point(1), {}, false);
  // Kernels may sum an operand first, which may give infinity and then infinity times zero.
  for (std::size_t i = 0; i < node.InputCount(); ++i) {
    product.nan = product.nan || product.MayBeInfinite() || node.In(i).Magnitude() > 0x1p60;
  }
  node.Set(product);
}

// Handles the default activations; the outputs of others are unknown.
void RecurrentRanges(RangeContext& node) {
  const bool known = !node.Has("activations") && !node.Has("clip") &&
                     !node.Has("activation_alpha") && !node.Has("activation_beta");
  if (!known) return;
  Range state = Range::Between(-1, 1);
  const std::size_t lengths = 4;
  const std::size_t initial = 5;
  if (node.HasInput(initial)) state = Hull(state, node.In(initial));
  for (std::size_t i = 0; i < node.InputCount(); ++i) {
    if (i == lengths || !node.HasInput(i)) continue;
    if (node.In(i).nan) return;
    // Products and their sums may overflow, and infinities of both signs may be added.
    if (node.In(i).Magnitude() > 0x1p48) state.nan = true;
  }
  state = InFloat32(state, 0x1p-16);
  state.zero = true;
  state.gap = 0;
  node.Set(state, 0);
  node.Set(state, 1);
}

}  // namespace opledger
