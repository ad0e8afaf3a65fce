// The functions that compute the shapes of outputs, and their parameter: a node and what is known
// about its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conversion/model/onnx/tensor_data.h"
#include "conversion/model/operators/node_reader.h"
#include "conversion/model/operators/shapes.h"
#include "conversion/model/ranges/tensor_range.h"

namespace opledger {

// Returns a text such as "[2,3]".
std::string ShapeText(const Shape& shape);

// A node. Reads what is known about its inputs and sets what is known about its outputs. Inputs and
// outputs that are absent or do not exist are allowed everywhere.
class RuleContext : public NodeReader {
 public:
  RuleContext(const OnnxModel& model, NodeId id, Shapes& shapes)
      : NodeReader(model.graph, &model, id), shapes_(shapes) {}

  // Returns the shape of input `i`, or nullptr if it is unknown.
  const Shape* Input(std::size_t i) const {
    if (i >= node_.inputs.size() || node_.inputs[i] == kNone) return nullptr;
    const auto& shape = shapes_.values[node_.inputs[i]];
    return shape ? &*shape : nullptr;
  }
  // Returns the elements of input `i`, or nullptr if they are unknown or not integers.
  const Integers* Known(std::size_t i) const {
    if (i >= node_.inputs.size() || node_.inputs[i] == kNone) return nullptr;
    const auto found = shapes_.integers.find(node_.inputs[i]);
    return found == shapes_.integers.end() ? nullptr : &found->second;
  }
  // Returns integers that are an attribute or an input, depending on the operator's version. Empty
  // if the node has neither, nullopt if the input's elements are unknown.
  std::optional<Integers> AttributeOrInput(std::string_view attribute, std::size_t input) const {
    if (node_.Find(attribute) != nullptr) return List(attribute);
    if (input >= node_.inputs.size() || node_.inputs[input] == kNone) return Integers{};
    const Integers* known = Known(input);
    return known == nullptr ? std::nullopt : std::optional(*known);
  }
  // Returns the elements of a constant float32 input, or nullopt if it is not one.
  std::optional<std::vector<float>> Numbers(std::size_t i) const {
    if (!HasInput(i)) return std::nullopt;
    return ParameterNumbers<float>(*model_, node_.inputs[i], Dtype::kFloat32);
  }
  // Sets the shape of an output. Ignores invalid shapes. Keeps a declared shape, and reports a
  // problem if it differs.
  void SetShape(std::size_t output, Shape shape) {
    if (output >= node_.outputs.size() || node_.outputs[output] == kNone) return;
    const bool sound = std::all_of(shape.begin(), shape.end(), [](std::int64_t dimension) {
      return dimension >= 0 && dimension <= kMaxDimension;
    });
    auto& known = shapes_.values[node_.outputs[output]];
    if (!sound) return;
    if (known && *known != shape) {
      Report("output " + std::to_string(output) + " is declared as " + ShapeText(*known) +
             " but computed as " + ShapeText(shape));
    }
    if (!known) known = std::move(shape);
  }
  // Reports a problem with the node's shapes, in the main graph only: elsewhere shapes may differ
  // between runs.
  void Report(std::string message) {
    constexpr std::size_t kMost = 100;
    if (node_.scope != 0 || shapes_.problems.size() == kMost) return;
    const bool said = std::any_of(
        shapes_.problems.begin(), shapes_.problems.end(),
        [&](const ShapeProblem& each) { return each.node == id_ && each.message == message; });
    if (!said) shapes_.problems.push_back({id_, std::move(message)});
  }
  void ReportInputs(const Shape& a, const Shape& b) {
    Report("its inputs have incompatible shapes " + ShapeText(a) + " and " + ShapeText(b));
  }
  // Sets the elements of output 0.
  void SetIntegers(Integers integers) {
    if (node_.outputs.empty() || node_.outputs[0] == kNone) return;
    shapes_.integers[node_.outputs[0]] = std::move(integers);
  }

 private:
  Shapes& shapes_;
};

// Returns the axis counted from the first; a negative `axis` counts from the end. Returns nullopt
// if it is out of range.
std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank);
// Returns element `i` of the list, or `absent` if the list is shorter, clamped to [-2^31, 2^31] so
// that sums of shapes and steps do not overflow.
std::int64_t StepAt(const Integers& list, std::size_t i, std::int64_t absent);

// Gives output 0 the shape of input 0.
void SameShape(RuleContext& node);

// shape_rules.cpp: the most common operators.
void PassedShape(RuleContext& node);
void BroadcastShape(RuleContext& node);
void MatMulShape(RuleContext& node);
void GemmShape(RuleContext& node);
void ConvShape(RuleContext& node);
void PoolShape(RuleContext& node);
void GlobalPoolShape(RuleContext& node);
void TransposeShape(RuleContext& node);
void ReshapeShape(RuleContext& node);
void FlattenShape(RuleContext& node);
void UnsqueezeShape(RuleContext& node);
void SqueezeShape(RuleContext& node);
void ReduceShape(RuleContext& node);
void ConcatShape(RuleContext& node);
void GatherShape(RuleContext& node);
void SplitShape(RuleContext& node);
void ShapeOfInput(RuleContext& node);
void ShapeFromInput(RuleContext& node);
void ExpandShape(RuleContext& node);
void ShapeOfIndices(RuleContext& node);
void ArithmeticShape(RuleContext& node);
void EqualShape(RuleContext& node);
void WhereShape(RuleContext& node);

// shape_arithmetic.cpp: operators that compute shapes, whose integer elements are computed too.
void NegShape(RuleContext& node);
void AbsShape(RuleContext& node);
void SizeShape(RuleContext& node);
void ArithmeticIntegers(RuleContext& node);
void EqualIntegers(RuleContext& node);
void WhereIntegers(RuleContext& node);
void RangeShape(RuleContext& node);

// resized_shapes.cpp: operators that change the size of dimensions.
void SliceShape(RuleContext& node);
void PadShape(RuleContext& node);
void TileShape(RuleContext& node);
void ResizeShape(RuleContext& node);
void UpsampleShape(RuleContext& node);
void DepthToSpaceShape(RuleContext& node);
void SpaceToDepthShape(RuleContext& node);
void ConvTransposeShape(RuleContext& node);
void RecurrentShape(RuleContext& node);
void TopKShape(RuleContext& node);
void ArgShape(RuleContext& node);

}  // namespace opledger
