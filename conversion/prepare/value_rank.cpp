// Back from the value to one whose shape the file declares. Operators: docs/Operators.md of ONNX.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/value_rank.h"

#include <algorithm>
#include <set>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {
namespace {

using Dimensions = std::vector<std::int64_t>;

constexpr int kMaxNodes = 256;  // on the way back

// What a ValueInfoProto says.
std::optional<Dimensions> Declared(const OnnxModel& model, MessageId frame) {
  const std::string_view file = model.file.bytes();
  std::optional<Dimensions> dimensions;
  for (const WireField& info : model.Fields(frame)) {
    if (!info.IsBytes(value_info_field::kType)) continue;
    for (const WireField& type : WireFields(file, info.body)) {
      if (!type.IsBytes(type_field::kTensor)) continue;
      for (const WireField& shape : WireFields(file, type.body)) {
        if (!shape.IsBytes(tensor_type_field::kShape)) continue;
        dimensions.emplace();
        for (const WireField& dimension : WireFields(file, shape.body)) {
          if (!dimension.IsBytes(shape_field::kDimension)) continue;
          dimensions->push_back(-1);
          for (const WireField& number : WireFields(file, dimension.body)) {
            if (number.IsVarint(dimension_field::kNumber)) {
              dimensions->back() = static_cast<std::int64_t>(number.value);
            }
          }
        }
      }
    }
  }
  return dimensions;
}

std::optional<Dimensions> OfFile(const OnnxModel& model, ValueId id) {
  const Value& value = model.graph.values[id];
  if (value.tensor != kNone) return model.graph.tensors[value.tensor].dimensions;
  for (const MessageId frame : model.places.declarations[id]) {
    if (auto dimensions = Declared(model, frame)) return dimensions;
  }
  const Scope& scope = model.graph.scopes[value.scope];
  if (scope.function != kNone) return std::nullopt;  // there, outputs are names
  for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
    if (scope.outputs[i] == id) return Declared(model, model.places.outputs[value.scope][i]);
  }
  return std::nullopt;
}

bool IsOneOf(const Node& node, const std::set<std::string_view>& names) {
  return node.domain.empty() && names.contains(node.op);
}

// Their output 0 has as many dimensions as their input 0.
const std::set<std::string_view>& KeepRank() {
  static const std::set<std::string_view> names = {"Abs",
                                                   "AveragePool",
                                                   "BatchNormalization",
                                                   "Cast",
                                                   "Ceil",
                                                   "Clip",
                                                   "Concat",
                                                   "Conv",
                                                   "ConvTranspose",
                                                   "DepthToSpace",
                                                   "Dropout",
                                                   "Elu",
                                                   "Erf",
                                                   "Exp",
                                                   "Floor",
                                                   "Gelu",
                                                   "Hardmax",
                                                   "GlobalAveragePool",
                                                   "GlobalMaxPool",
                                                   "HardSigmoid",
                                                   "HardSwish",
                                                   "Identity",
                                                   "InstanceNormalization",
                                                   "LRN",
                                                   "LayerNormalization",
                                                   "LeakyRelu",
                                                   "LogSoftmax",
                                                   "Log",
                                                   "MaxPool",
                                                   "Neg",
                                                   "PRelu",
                                                   "Pad",
                                                   "Relu",
                                                   "Resize",
                                                   "Selu",
                                                   "Sigmoid",
                                                   "Slice",
                                                   "Softmax",
                                                   "SpaceToDepth",
                                                   "Split",
                                                   "Sqrt",
                                                   "Tanh",
                                                   "Tile",
                                                   "Transpose",
                                                   "Upsample"};
  return names;
}

// The constant numbers that a Reshape goes to: how many there are.
std::optional<std::size_t> ReshapeRank(const OnnxModel& model, const Node& node) {
  if (node.inputs.size() < 2 || node.inputs[1] == kNone) return std::nullopt;
  const TensorId tensor = ParameterTensor(model.graph, model.graph.values[node.inputs[1]]);
  if (tensor == kNone || model.graph.tensors[tensor].dimensions.size() != 1) return std::nullopt;
  return static_cast<std::size_t>(model.graph.tensors[tensor].dimensions[0]);
}

}  // namespace

std::optional<Dimensions> KnownDimensions(const OnnxModel& model, ValueId value) {
  const Graph& graph = model.graph;
  for (int steps = 0; value != kNone && steps < kMaxNodes; ++steps) {
    if (auto dimensions = OfFile(model, value)) {
      // Of values further back only the count is that of the first one.
      if (steps > 0) std::fill(dimensions->begin(), dimensions->end(), -1);
      return dimensions;
    }
    if (graph.values[value].producer == kNone) return std::nullopt;
    const Node& node = graph.nodes[graph.values[value].producer];
    if (IsOneOf(node, {"Gemm", "Flatten"})) return Dimensions(2, -1);
    if (IsOneOf(node, {"Reshape"})) {
      const auto rank = ReshapeRank(model, node);
      return rank ? std::optional(Dimensions(*rank, -1)) : std::nullopt;
    }
    if (!IsOneOf(node, KeepRank()) || node.inputs.empty()) return std::nullopt;
    value = node.inputs[0];
  }
  return std::nullopt;
}

}  // namespace opledger
