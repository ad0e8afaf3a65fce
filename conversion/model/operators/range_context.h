// What the range functions of operators share: one node, the ranges of its inputs, and where those
// of its outputs go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "conversion/model/operators/node_reader.h"
#include "conversion/model/operators/shapes.h"
#include "conversion/model/ranges/tensor_range.h"

namespace opledger {

// The comparison that makes a condition: Where(x > c, c, x) is at most c.
struct ConditionComparison {
  std::string_view op;
  ValueId left = kNone;
  ValueId right = kNone;
  Range of_left;  // as the comparison reads them
  Range of_right;
};

class RangeContext : public NodeReader {
 public:
  // `shapes` may be nullptr: none is known. `presumes`: small positive constants that are added to
  // data are taken for guards against zero (see Range::reach), which proves nothing.
  RangeContext(const Graph& graph, const OnnxModel* model, NodeId id, const Shapes* shapes,
               std::vector<TensorRange> inputs, bool presumes);

  bool presumes() const { return presumes_; }
  std::vector<TensorRange>& outputs() { return outputs_; }

  // One that is not there: nothing is known of it.
  const TensorRange& Input(std::size_t i) const;
  const Range& In(std::size_t i) const { return Input(i).all; }
  // The shape of an input or output; nullptr: it is unknown, or may differ between iterations.
  const Shape* InputShape(std::size_t i) const;
  const Shape* OutputShape(std::size_t i) const;
  // How many numbers an input has along `axes`, all axes if there are none; none: not known.
  std::optional<double> CountAlong(std::size_t input, const std::optional<Integers>& axes) const;
  // Integers that versions give as an attribute or as an input: empty if the node has neither;
  // none: they are not known.
  std::optional<Integers> AttributeOrInput(std::string_view attribute, std::size_t input) const;

  // What makes input 0, the condition of a Where; none: something else than a comparison.
  const std::optional<ConditionComparison>& condition() const { return condition_; }
  void SetCondition(const ConditionComparison& condition) { condition_ = condition; }
  ValueId InputId(std::size_t i) const { return HasInput(i) ? node_.inputs[i] : kNone; }

  void Set(TensorRange range, std::size_t output = 0) {
    if (output < outputs_.size()) outputs_[output] = std::move(range);
  }
  void Set(const Range& range, std::size_t output = 0) { Set(TensorRange{range, nullptr}, output); }

 private:
  const Shape* ShapeOf(const std::vector<ValueId>& values, std::size_t i) const;

  const Shapes* shapes_;
  std::vector<TensorRange> inputs_;
  bool presumes_;
  std::optional<ConditionComparison> condition_;
  std::vector<TensorRange> outputs_;
};

// Of the bounds that are finite the larger magnitude: by what an error on that side is measured.
double FiniteMagnitude(const Range& range);

// What constants are presumed to be meant for. A scalar from kUnit on changes the unit of what it
// multiplies: 255, 7680, 32768. A positive constant below kLargestGuard that is added guards
// against zero. Bounds from kNearOne to 1 are meant to be less than 1, and those from kFar on to
// bound nothing.
inline constexpr double kUnit = 255;
inline constexpr double kLargestGuard = 0x1p-10;
inline constexpr double kNearOne = 1 - 0x1p-7;
inline constexpr double kFar = 0x1p100;

// The magnitude that numbers of the range reach: the presumed one, or the bound where it is tight.
double ReachOf(const Range& range);

// Operations on presumed ranges; without presumptions they are Sum and Product.
Range GuardedSum(const Range& a, const Range& b, bool presumes);
Range ReachingProduct(const Range& a, const Range& b, bool presumes);
Range ReachingQuotient(const Range& a, const Range& b, bool presumes);

}  // namespace opledger
