// Makes assumptions about data from what small and large constants are usually meant for.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/operators/range_context.h"

#include <algorithm>
#include <cmath>

#include "conversion/model/operators/shape_rule.h"

namespace opledger {
namespace {

bool IsGuard(const Range& range) {
  return !range.nan && !range.loose.Any() && range.low > 0 && range.high < kLargestGuard;
}

// Returns whether nothing indicates that the elements have one sign.
bool HasUnknownSign(const Range& range) {
  return range.low == -kInfinite && range.high == kInfinite && range.zero;
}

bool IsUnbounded(const Range& range) { return !range.IsBounded() || range.loose.Any(); }

// Returns whether this factor keeps a product below 1: 0.9999, even if rounded to 1.
bool IsBelowOne(const Range& range) {
  return !range.nan && range.low < 1 && range.low >= kNearOne && range.high <= 1;
}

Range WithinOne(Range data) {
  data.low = std::max(data.low, -1.0);
  data.high = std::min(data.high, 1.0);
  data.loose = {};
  return data.IsEmpty() ? data : Tightened(data);
}

}  // namespace

RangeContext::RangeContext(const Graph& graph, const OnnxModel* model, NodeId id,
                           const Shapes* shapes, std::vector<TensorRange> inputs, bool presumes)
    : NodeReader(graph, model, id),
      shapes_(shapes),
      inputs_(std::move(inputs)),
      presumes_(presumes),
      outputs_(node_.outputs.size()) {}

const TensorRange& RangeContext::Input(std::size_t i) const {
  static const TensorRange unknown;
  return i < inputs_.size() ? inputs_[i] : unknown;
}

const Shape* RangeContext::ShapeOf(const std::vector<ValueId>& values, std::size_t i) const {
  if (shapes_ == nullptr || i >= values.size() || values[i] == kNone) return nullptr;
  const Value& value = graph_.values[values[i]];
  if (value.scope != 0 && value.tensor == kNone) return nullptr;
  const auto& shape = shapes_->values[values[i]];
  return shape ? &*shape : nullptr;
}

const Shape* RangeContext::InputShape(std::size_t i) const { return ShapeOf(node_.inputs, i); }
const Shape* RangeContext::OutputShape(std::size_t i) const { return ShapeOf(node_.outputs, i); }

std::optional<double> RangeContext::CountAlong(std::size_t input,
                                               const std::optional<Integers>& axes) const {
  const Shape* shape = InputShape(input);
  if (shape == nullptr || !axes) return std::nullopt;
  double count = 1;
  if (axes->empty()) {
    for (const std::int64_t dimension : *shape) count *= static_cast<double>(dimension);
  }
  for (const std::int64_t each : *axes) {
    const auto axis = AxisOf(each, shape->size());
    if (!axis) return std::nullopt;
    count *= static_cast<double>((*shape)[*axis]);
  }
  return count;
}

std::optional<Integers> RangeContext::AttributeOrInput(std::string_view attribute,
                                                       std::size_t input) const {
  if (Has(attribute)) return List(attribute);
  if (!HasInput(input)) return Integers{};
  return Input(input).Integers();
}

double FiniteMagnitude(const Range& range) {
  const auto size = [](double bound) { return std::isinf(bound) ? 0 : std::abs(bound); };
  return range.IsEmpty() ? 0 : std::max(size(range.low), size(range.high));
}

double ReachOf(const Range& range) {
  const bool tight = range.IsBounded() && !range.loose.Any();
  return tight && (range.IsPoint() || range.Magnitude() < kFar) ? range.Magnitude() : range.reach;
}

Range GuardedSum(const Range& a, const Range& b, bool presumes) {
  if (!presumes) return Sum(a, b);
  const auto guarded = [](Range data) {
    data.low = 0;
    return data;
  };
  Range sum = HasUnknownSign(a) && IsGuard(b)   ? Sum(guarded(a), b)
              : HasUnknownSign(b) && IsGuard(a) ? Sum(a, guarded(b))
                                                : Sum(a, b);
  if (IsUnbounded(sum)) {
    const double reach = std::max(ReachOf(a), ReachOf(b));
    sum.reach = reach >= kUnit ? reach : 0;
  }
  return sum;
}

Range ReachingQuotient(const Range& a, const Range& b, bool presumes) {
  Range quotient = Quotient(a, b);
  // Data of both signs that is divided by its own magnitude is not large where that is small.
  const bool centred = IsUnbounded(a) || (a.low < 0 && a.high > 0);
  if (presumes && centred && !b.IsPoint()) quotient.loose = {true, true};
  const bool divides = b.Magnitude() > 0 && b.IsBounded();
  if (!presumes || !divides || !IsUnbounded(quotient)) return quotient;
  const bool scales = b.IsPoint() && 1 / b.Magnitude() >= kUnit;
  if (a.reach > 0 || scales) quotient.reach = std::max(1.0, ReachOf(a)) / b.Magnitude();
  return quotient;
}

Range ReachingProduct(const Range& a, const Range& b, bool presumes) {
  if (presumes && (IsBelowOne(a) || IsBelowOne(b))) {
    const Range& data = IsBelowOne(a) ? b : a;
    return Product(IsUnbounded(data) ? WithinOne(data) : data, IsBelowOne(a) ? a : b);
  }
  Range product = Product(a, b);
  if (!presumes || !IsUnbounded(product)) return product;
  const bool scales =
      (a.IsPoint() && a.Magnitude() >= kUnit) || (b.IsPoint() && b.Magnitude() >= kUnit);
  if (a.reach == 0 && b.reach == 0 && !scales) return product;
  const auto factor = [](const Range& each) {
    const double reach = ReachOf(each);
    return reach == 0 ? 1 : reach;
  };
  product.reach = factor(a) * factor(b);
  return product;
}

}  // namespace opledger
