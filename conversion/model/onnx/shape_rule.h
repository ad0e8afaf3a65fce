// What the rules of shape_rules.cpp share: one node, and what is known of its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/shapes.h"
#include "conversion/model/onnx/tensor_data.h"

namespace opledger {

using Integers = std::vector<std::int64_t>;

// "[2,3]"
std::string ShapeText(const Shape& shape);

// One node: what is known of its inputs, and where its outputs' shapes go.
class RuleContext {
 public:
  RuleContext(const OnnxModel& model, NodeId id, Shapes& shapes)
      : model_(model), id_(id), node_(model.graph.nodes[id]), shapes_(shapes) {}

  std::string_view Op() const { return node_.op; }
  std::size_t InputCount() const { return node_.inputs.size(); }
  std::size_t OutputCount() const { return node_.outputs.size(); }
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
  // Integers that versions give as an attribute or as an input; none: neither is known.
  std::optional<Integers> AttributeOrInput(std::string_view attribute, std::size_t input) const {
    if (node_.Find(attribute) != nullptr) return List(attribute);
    if (input >= node_.inputs.size() || node_.inputs[input] == kNone) return Integers{};
    const Integers* known = Known(input);
    return known == nullptr ? std::nullopt : std::optional(*known);
  }
  Integers List(std::string_view attribute) const {
    return AttributeIntegers(model_, id_, attribute);
  }
  std::int64_t Integer(std::string_view attribute, std::int64_t absent) const {
    const Attribute* found = node_.Find(attribute);
    return found == nullptr ? absent : found->integer;
  }
  bool Has(std::string_view attribute) const { return node_.Find(attribute) != nullptr; }
  bool HasInput(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNone; }
  // The float32 numbers of an input that is a constant.
  std::optional<std::vector<float>> Numbers(std::size_t i) const {
    if (!HasInput(i)) return std::nullopt;
    return ParameterNumbers<float>(model_, node_.inputs[i], Dtype::kFloat32);
  }
  std::vector<float> Floats(std::string_view attribute) const {
    return AttributeFloats(model_, id_, attribute);
  }
  // Whether the input is a tensor of integers.
  bool IsIntegral(std::size_t i) const {
    if (!HasInput(i)) return false;
    const ValueType& type = model_.graph.values[node_.inputs[i]].type;
    return type.kind == ValueType::Kind::kTensor && type.dtype && IsInteger(*type.dtype);
  }
  std::int64_t Opset() const { return model_.graph.OpsetIn(node_.scope); }
  std::string_view Text(std::string_view attribute) const {
    const Attribute* found = node_.Find(attribute);
    return found == nullptr ? std::string_view() : found->text;
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
             ", and computed as " + ShapeText(shape));
    }
    if (!known) known = std::move(shape);
  }
  // What is wrong with the node's shapes. Elsewhere than in the main graph they may change from run
  // to run.
  void Report(std::string message) {
    constexpr std::size_t kMost = 100;
    if (node_.scope != 0 || shapes_.problems.size() == kMost) return;
    const bool said = std::any_of(
        shapes_.problems.begin(), shapes_.problems.end(),
        [&](const ShapeProblem& each) { return each.node == id_ && each.message == message; });
    if (!said) shapes_.problems.push_back({id_, std::move(message)});
  }
  void ReportInputs(const Shape& a, const Shape& b) {
    Report("it takes no inputs of " + ShapeText(a) + " and " + ShapeText(b));
  }
  void SetIntegers(Integers integers) {
    if (node_.outputs.empty() || node_.outputs[0] == kNone) return;
    shapes_.integers[node_.outputs[0]] = std::move(integers);
  }

 private:
  const OnnxModel& model_;
  NodeId id_;
  const Node& node_;
  Shapes& shapes_;
};

// A position among `rank` of them; none: it is outside.
std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank);
// The shape to which both are broadcast; none: they do not fit.
std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b);
// The list's number, or `absent`, within what steps of windows may be.
std::int64_t StepAt(const Integers& list, std::size_t i, std::int64_t absent);

// That of input 0.
void SameShape(RuleContext& node);

// shape_arithmetic.cpp: integers that are known.
void NegShape(RuleContext& node);
void AbsShape(RuleContext& node);
void SizeShape(RuleContext& node);
void ArithmeticShape(RuleContext& node);
void EqualShape(RuleContext& node);
void WhereShape(RuleContext& node);
void RangeShape(RuleContext& node);

// resized_shapes.cpp: dimensions that become others.
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
