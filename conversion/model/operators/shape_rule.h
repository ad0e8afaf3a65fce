// The context that operators' shape functions share: a node and what is known of its inputs.
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

// "[2,3]"
std::string ShapeText(const Shape& shape);

// A node: what is known of its inputs, and the shapes of its outputs.
class RuleContext : public NodeReader {
 public:
  RuleContext(const OnnxModel& model, NodeId id, Shapes& shapes)
      : NodeReader(model.graph, &model, id), shapes_(shapes) {}

  const Shape* Input(std::size_t i) const {
    if (i >= node_.inputs.size() || node_.inputs[i] == kNone) return nullptr;
    const auto& shape = shapes_.values[node_.inputs[i]];
    return shape ? &*shape : nullptr;
  }
  const Integers* Known(std::size_t i) const {
    if (i >= node_.inputs.size() || node_.inputs[i] == kNone) return nullptr;
    const auto found = shapes_.integers.find(node_.inputs[i]);
    return found == shapes_.integers.end() ? nullptr : &found->second;
  }
  // Returns integers that are an attribute or an input, depending on the version, or nullopt.
  std::optional<Integers> AttributeOrInput(std::string_view attribute, std::size_t input) const {
    if (node_.Find(attribute) != nullptr) return List(attribute);
    if (input >= node_.inputs.size() || node_.inputs[input] == kNone) return Integers{};
    const Integers* known = Known(input);
    return known == nullptr ? std::nullopt : std::optional(*known);
  }
  // Returns the float32 elements of a constant input.
  std::optional<std::vector<float>> Numbers(std::size_t i) const {
    if (!HasInput(i)) return std::nullopt;
    return ParameterNumbers<float>(*model_, node_.inputs[i], Dtype::kFloat32);
  }
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
  void SetIntegers(Integers integers) {
    if (node_.outputs.empty() || node_.outputs[0] == kNone) return;
    shapes_.integers[node_.outputs[0]] = std::move(integers);
  }

 private:
  Shapes& shapes_;
};

// Returns an axis among `rank` axes, or nullopt if it is out of range.
std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank);
// Returns the list's element, or `absent`, limited to valid steps of windows.
std::int64_t StepAt(const Integers& list, std::size_t i, std::int64_t absent);

// Sets the shape of input 0.
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

// shape_arithmetic.cpp: known integers.
void NegShape(RuleContext& node);
void AbsShape(RuleContext& node);
void SizeShape(RuleContext& node);
void ArithmeticIntegers(RuleContext& node);
void EqualIntegers(RuleContext& node);
void WhereIntegers(RuleContext& node);
void RangeShape(RuleContext& node);

// resized_shapes.cpp: computed dimensions.
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
