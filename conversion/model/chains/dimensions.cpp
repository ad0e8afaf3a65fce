// One rule per family of operators (docs/Operators.md of ONNX).
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/chains/dimensions.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/model/operators/shapes.h"

namespace opledger {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr std::size_t kMaxRank = 64;  // of inferred values; files may declare more

std::optional<Dimensions> Declared(const OnnxModel& model, MessageId frame) {
  const auto declared = DeclaredShape(model, frame);
  if (!declared) return std::nullopt;
  Dimensions dimensions;
  for (const DeclaredDimension& each : *declared) {
    dimensions.push_back(each.number.value_or(kUnknown));
  }
  return dimensions;
}

// Operators whose outputs have the rank of input 0, separated by spaces.
constexpr std::string_view kKeepRank =
    " AveragePool Conv ConvTranspose DepthToSpace DequantizeLinear GatherElements "
    "GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool MaxUnpool Pad QuantizeLinear "
    "Resize ReverseSequence Scatter ScatterElements ScatterND SpaceToDepth Split Tile TopK "
    "Upsample ";

bool KeepsRank(std::string_view op) {
  return kKeepRank.find(" " + std::string(op) + " ") != std::string_view::npos;
}

class DimensionRules {
 public:
  explicit DimensionRules(const OnnxModel& model)
      : model_(model), graph_(model.graph), values_(graph_.values.size()) {
    for (ValueId id = 0; id < static_cast<ValueId>(values_.size()); ++id) {
      const TensorId tensor = graph_.values[id].tensor;
      if (tensor != kNone) values_[id] = graph_.tensors[tensor].dimensions;
      for (const MessageId frame : model.places.declarations[id]) Declare(id, frame);
    }
    for (std::size_t id = 0; id < graph_.scopes.size(); ++id) {
      const Scope& scope = graph_.scopes[id];
      if (scope.function != kNone) continue;  // there, outputs are names
      for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
        if (scope.outputs[i] != kNone) Declare(scope.outputs[i], model.places.outputs[id][i]);
      }
    }
  }

  void Apply(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (!node.domain.empty() || graph_.Called(node) != kNone) return;
    auto found = OfNode(id, node);
    if (!found || found->size() > kMaxRank) return;
    const bool all = KeepsRank(node.op);
    for (std::size_t i = 0; i < (all ? node.outputs.size() : 1) && i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone || values_[node.outputs[i]]) continue;
      values_[node.outputs[i]] = found;
    }
  }

  std::vector<std::optional<Dimensions>> Take() { return std::move(values_); }

 private:
  using Found = std::optional<Dimensions>;

  void Declare(ValueId id, MessageId frame) {
    if (!values_[id]) values_[id] = Declared(model_, frame);
  }

  Found Input(const Node& node, std::size_t position) const {
    if (position >= node.inputs.size() || node.inputs[position] == kNone) return std::nullopt;
    return values_[node.inputs[position]];
  }

  static bool Has(const Node& node, std::size_t position) {
    return position < node.inputs.size() && node.inputs[position] != kNone;
  }

  static Dimensions Unknown(std::int64_t count) {
    return Dimensions(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kMaxRank + 1)),
                      kUnknown);
  }

  // Returns the integers of an attribute or of the input that replaced it, or nullopt if unknown.
  std::optional<std::vector<std::int64_t>> Integers(NodeId id, const char* attribute,
                                                    std::size_t position) const {
    const Node& node = graph_.nodes[id];
    if (node.Find(attribute) != nullptr) return AttributeIntegers(model_, id, attribute);
    if (!Has(node, position)) return std::nullopt;
    return ParameterNumbers<std::int64_t>(model_, node.inputs[position], Dtype::kInt64);
  }

  static std::int64_t IntegerOf(const Node& node, const char* name, std::int64_t fallback) {
    const Attribute* attribute = node.Find(name);
    return attribute == nullptr ? fallback : attribute->integer;
  }

  // Returns the rank of a tensor whose shape is the one-dimensional input at `position`.
  Found OfShapeInput(const Node& node, std::size_t position) const {
    const Found shape = Input(node, position);
    if (!shape || shape->size() != 1 || shape->front() == kUnknown) return std::nullopt;
    return Unknown(shape->front());
  }

  Found Broadcast(const Node& node) const {
    Dimensions result;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Found input = Input(node, i);
      if (!input) return std::nullopt;
      if (input->size() > result.size())
        result.insert(result.begin(), input->size() - result.size(), 1);
      const std::size_t shift = result.size() - input->size();
      for (std::size_t k = 0; k < input->size(); ++k) {
        if (result[shift + k] == 1) result[shift + k] = (*input)[k];
      }
    }
    return result;
  }

  Found MatMul(const Node& node) const {
    const Found a = Input(node, 0);
    const Found b = Input(node, 1);
    if (!a || !b || a->empty() || b->empty()) return std::nullopt;
    const std::size_t rank = std::max({a->size(), b->size(), std::size_t{2}});
    return Unknown(static_cast<std::int64_t>(rank) - (a->size() == 1) - (b->size() == 1));
  }

  Found Gather(const Node& node) const {
    const Found data = Input(node, 0);
    const Found indices = Input(node, 1);
    if (!data || !indices || data->empty()) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(data->size());
    std::int64_t axis = IntegerOf(node, "axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    Dimensions result(data->begin(), data->begin() + axis);
    result.insert(result.end(), indices->begin(), indices->end());
    result.insert(result.end(), data->begin() + axis + 1, data->end());
    return result;
  }

  Found Concat(const Node& node) const {
    Found result;
    std::int64_t axis = IntegerOf(node, "axis", 1);
    std::int64_t length = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Found input = Input(node, i);
      if (!input) continue;
      if (!result) result = Unknown(static_cast<std::int64_t>(input->size()));
    }
    if (!result) return std::nullopt;
    if (axis < 0) axis += static_cast<std::int64_t>(result->size());
    for (std::size_t i = 0; i < node.inputs.size() && length != kUnknown; ++i) {
      const Found input = Input(node, i);
      const bool known = input && axis >= 0 && axis < static_cast<std::int64_t>(input->size());
      const std::int64_t each = known ? (*input)[axis] : kUnknown;
      length = each == kUnknown ? kUnknown : length + each;
    }
    if (axis >= 0 && axis < static_cast<std::int64_t>(result->size())) (*result)[axis] = length;
    return result;
  }

  // Also computes the length of vectors, since they may be shapes.
  Found Slice(NodeId id, const Node& node) const {
    const Found data = Input(node, 0);
    if (!data) return std::nullopt;
    Dimensions result = Unknown(static_cast<std::int64_t>(data->size()));
    const auto starts = Integers(id, "starts", 1);
    const auto ends = Integers(id, "ends", 2);
    const auto steps = Integers(id, "steps", 4);
    const bool plain = data->size() == 1 && data->front() != kUnknown &&
                       (!Has(node, 4) || steps == std::vector<std::int64_t>{1});
    if (!plain || !starts || !ends || starts->size() != 1 || ends->size() != 1) return result;
    const std::int64_t length = data->front();
    const auto bound = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length);
    };
    result[0] = std::max<std::int64_t>(0, bound(ends->front()) - bound(starts->front()));
    return result;
  }

  Found Squeeze(NodeId id, const Node& node) const {
    const Found data = Input(node, 0);
    const auto axes = Integers(id, "axes", 1);
    if (!data || !axes || axes->size() > data->size()) return std::nullopt;
    return Unknown(static_cast<std::int64_t>(data->size() - axes->size()));
  }

  Found Unsqueeze(NodeId id, const Node& node) const {
    const Found data = Input(node, 0);
    const auto axes = Integers(id, "axes", 1);
    if (!data || !axes) return std::nullopt;
    if (data->empty()) return Dimensions(std::min(axes->size(), kMaxRank), 1);
    return Unknown(static_cast<std::int64_t>(data->size() + axes->size()));
  }

  Found Reduce(NodeId id, const Node& node, bool one_axis) const {
    const Found data = Input(node, 0);
    if (!data) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(data->size());
    if (IntegerOf(node, "keepdims", 1) != 0) return Unknown(rank);
    if (one_axis) return Unknown(rank - 1);
    if (IntegerOf(node, "noop_with_empty_axes", 0) != 0) return std::nullopt;
    const auto axes = Integers(id, "axes", 1);
    if (!axes) return Has(node, 1) ? std::nullopt : Found(Dimensions());
    return Unknown(axes->empty() ? 0 : rank - static_cast<std::int64_t>(axes->size()));
  }

  Found Transpose(NodeId id, const Node& node) const {
    if (node.Find("perm") == nullptr) return RankOf(Input(node, 0));
    return Unknown(static_cast<std::int64_t>(AttributeIntegers(model_, id, "perm").size()));
  }

  static Found RankOf(const Found& value) {
    if (!value) return std::nullopt;
    return Unknown(static_cast<std::int64_t>(value->size()));
  }

  Found Expand(const Node& node) const {
    const Found data = Input(node, 0);
    const Found shape = OfShapeInput(node, 1);
    if (!data || !shape) return std::nullopt;
    return Unknown(static_cast<std::int64_t>(std::max(data->size(), shape->size())));
  }

  Found Shape(const Node& node) const {
    const Found data = Input(node, 0);
    const bool part = node.Find("start") != nullptr || node.Find("end") != nullptr;
    return Dimensions{!data || part ? kUnknown : static_cast<std::int64_t>(data->size())};
  }

  Found OfNode(NodeId id, const Node& node) const {
    const std::string_view op = node.op;
    if (op == "Transpose") return Transpose(id, node);
    if (KeepsShape(op)) return Input(node, 0);
    if (KeepsRank(op)) return RankOf(Input(node, 0));
    if (BroadcastsShapes(op)) return Broadcast(node);
    if (op == "Constant") {
      const TensorId tensor = node.outputs.empty() || node.outputs[0] == kNone
                                  ? kNone
                                  : ParameterTensor(graph_, graph_.values[node.outputs[0]]);
      return tensor == kNone ? std::nullopt : Found(graph_.tensors[tensor].dimensions);
    }
    if (op == "Gemm" || op == "Flatten") return Unknown(2);
    if (op == "MatMul") return MatMul(node);
    if (op == "Reshape") return OfShapeInput(node, 1);
    if (op == "ConstantOfShape") return OfShapeInput(node, 0);
    if (op == "Expand") return Expand(node);
    if (op == "Shape") return Shape(node);
    if (op == "Size") return Dimensions();
    if (op == "Gather") return Gather(node);
    if (op == "Concat") return Concat(node);
    if (op == "Slice") return Slice(id, node);
    if (op == "Squeeze") return Squeeze(id, node);
    if (op == "Unsqueeze") return Unsqueeze(id, node);
    if (op == "ArgMax" || op == "ArgMin") return Reduce(id, node, true);
    if (op.starts_with("Reduce")) return Reduce(id, node, false);
    if (op == "LSTM" || op == "GRU" || op == "RNN") return Unknown(4);
    return std::nullopt;
  }

  const OnnxModel& model_;
  const Graph& graph_;
  std::vector<std::optional<Dimensions>> values_;
};

}  // namespace

std::vector<std::optional<Dimensions>> FindDimensions(const OnnxModel& model) {
  DimensionRules rules(model);
  for (const Scope& scope : model.graph.scopes) {
    for (const NodeId id : scope.nodes) rules.Apply(id);
  }
  return rules.Take();
}

}  // namespace opledger
