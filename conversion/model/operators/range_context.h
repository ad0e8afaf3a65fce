// The context that operators' range functions share: a node, the ranges of its inputs and of its
// outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "conversion/model/operators/node_reader.h"
#include "conversion/model/operators/shapes.h"
#include "conversion/model/ranges/tensor_range.h"

namespace opledger {

// The comparison that computes a condition: Where(x > c, c, x) is at most c.
struct ConditionComparison {
  std::string_view op;
  ValueId left = kNone;
  ValueId right = kNone;
  Range of_left;  // as the comparison reads them
  Range of_right;
};

class RangeContext : public NodeReader {
 public:
  // `shapes` may be nullptr if they are unknown. `presumes`: assume that small positive constants
  // added to data guard against zero (see Range::reach). This proves nothing.
  RangeContext(const Graph& graph, const OnnxModel* model, NodeId id, const Shapes* shapes,
               std::vector<TensorRange> inputs, bool presumes);

  bool presumes() const { return presumes_; }
  std::vector<TensorRange>& outputs() { return outputs_; }

  // Returns the range of an input; unknown if the input does not exist.
  const TensorRange& Input(std::size_t i) const;
  const Range& In(std::size_t i) const { return Input(i).all; }
  // Return the shape of an input or output, or nullptr if it is unknown or may differ between
  // iterations.
  const Shape* InputShape(std::size_t i) const;
  const Shape* OutputShape(std::size_t i) const;
  // Returns the number of elements of an input along `axes` (all axes if empty), or nullopt if
  // unknown.
  std::optional<double> CountAlong(std::size_t input, const std::optional<Integers>& axes) const;
  // Returns integers that are an attribute or an input, depending on the version. Empty if the node
  // has neither; nullopt if they are unknown.
  std::optional<Integers> AttributeOrInput(std::string_view attribute, std::size_t input) const;

  // Returns the comparison that computes input 0, the condition of a Where, or nullopt if it is not
  // a comparison.
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

// Returns the larger magnitude of the finite bounds, which scales the error.
double FiniteMagnitude(const Range& range);

// Assumed purposes of constants. A factor of at least kUnit changes the unit: 255, 7680, 32768. A
// positive constant below kLargestGuard that is added guards against zero. Bounds from kNearOne to
// 1 are meant to be less than 1, and those from kFar on are not meant as limits.
inline constexpr double kUnit = 255;
inline constexpr double kLargestGuard = 0x1p-10;
inline constexpr double kNearOne = 1 - 0x1p-7;
inline constexpr double kFar = 0x1p100;

// Returns the magnitude that the elements reach: the bound if it is tight, otherwise the assumed
// one.
double ReachOf(const Range& range);

// Operations with assumptions. Without them, they are Sum and Product.
Range GuardedSum(const Range& a, const Range& b, bool presumes);
Range ReachingProduct(const Range& a, const Range& b, bool presumes);
Range ReachingQuotient(const Range& a, const Range& b, bool presumes);

}  // namespace opledger
