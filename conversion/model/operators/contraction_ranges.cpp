// Sums of products: at worst each product is the largest.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// The sum of `count` products, none where it is not known; how many may be zero for padding does
// not matter.
Range Contracted(const Range& a, const Range& b, std::optional<double> count, bool padded) {
  Range product = Product(a, b);
  if (padded) product = Hull(product, Range::Point(0));
  Range result = SumOf(product, count);
  if (!count || *count > 1) {
    if (product.low < 0 && product.high > 0) {
      result.zero = true;
      result.gap = result.integer ? 1 : 0;
    }
    if (product.low >= 0 && product.zero) result.gap = result.integer ? 1 : 0;
  }
  // Weights keep the order of magnitude; large ones are not presumed to enlarge it.
  const double reach = std::max(a.reach, b.reach);
  if (reach > 0) {
    const Range& other = a.reach >= b.reach ? b : a;
    result.reach = reach * std::min(1.0, other.IsBounded() ? other.Magnitude() : 1.0);
  }
  return result;
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
  if (alpha != 1) result = Product(result, Range::Point(alpha));
  if (node.HasInput(2) && beta != 0) {
    result = GuardedSum(result, Product(node.In(2), Range::Point(beta)), node.presumes());
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
  if (node.HasInput(2)) result = GuardedSum(result, node.In(2), node.presumes());
  node.Set(result);
}

void EinsumRanges(RangeContext& node) {
  Range product = node.In(0);
  for (std::size_t i = 1; i < node.InputCount(); ++i) {
    product = Contracted(product, node.In(i), std::nullopt, false);
  }
  node.Set(node.InputCount() > 1 ? product : Contracted(product, Range::Point(1), {}, false));
}

// Of the default activations; those of others may be anything.
void RecurrentRanges(RangeContext& node) {
  const bool known = !node.Has("activations") && !node.Has("clip") &&
                     !node.Has("activation_alpha") && !node.Has("activation_beta");
  if (!known || node.In(0).nan || node.In(1).nan || node.In(2).nan) return;
  Range state = Range::Between(-1, 1);
  const std::size_t initial = 5;
  if (node.HasInput(initial)) state = Hull(state, node.In(initial));
  if (node.In(0).MayBeInfinite() || node.In(1).MayBeInfinite() || node.In(2).MayBeInfinite()) {
    state.nan = true;
  }
  state = InFloat32(state, 0x1p-16);
  state.zero = true;
  state.gap = 0;
  node.Set(state, 0);
  node.Set(state, 1);
}

}  // namespace opledger
