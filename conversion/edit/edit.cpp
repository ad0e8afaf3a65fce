// Finds casts and copies that opledger inserted.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/edit.h"

#include <algorithm>
#include <set>

#include "conversion/model/half/half.h"
#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

bool Is16Bit(const ValueType& type) {
  return type.IsTensorOf(Dtype::kFloat16) || type.IsTensorOf(Dtype::kBfloat16);
}

class InsertedFinder {
 public:
  InsertedFinder(const OnnxModel& model, TensorData& data)
      : model_(model), graph_(model.graph), data_(data) {
    const Scope& main = graph_.scopes[0];
    outputs_.insert(main.outputs.begin(), main.outputs.end());
    parts_.casts.resize(graph_.nodes.size());
    parts_.copies.resize(graph_.values.size());
    parts_.made_of.assign(graph_.values.size(), kNone);
  }

  InsertedParts Find() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) FindCast(id);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) {
      const ValueId base = parts_.made_of[id] == kNone ? BaseOf(id) : kNone;
      if (base == kNone || !HoldsCopy(id, base)) continue;
      parts_.copies[id] = true;
      parts_.made_of[id] = base;
    }
    return std::move(parts_);
  }

 private:
  // The model's outputs keep their names, so there the input of the cast has the new name.
  void FindCast(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (node.op != "Cast" || !node.domain.empty() || node.inputs.size() != 1) return;
    if (node.outputs.size() != 1 || node.inputs[0] == kNone || node.outputs[0] == kNone) return;
    const Value& from = graph_.values[node.inputs[0]];
    const Value& to = graph_.values[node.outputs[0]];
    if (!IsNumbered(node.name, std::string(to.name) + "_cast") || from.scope != to.scope) return;
    const bool down = graph_.IsFloat32(node.inputs[0]) && Is16Bit(to.type);
    const bool up = Is16Bit(from.type) && graph_.IsFloat32(node.outputs[0]);
    if (!down && !up) return;
    const bool back = outputs_.contains(node.outputs[0]);
    const bool ours = back
                          ? from.producer != kNone && IsMadeOf(from.name, to.name, *from.type.dtype)
                          : IsMadeOf(to.name, from.name, *to.type.dtype);
    if (!ours) return;
    parts_.casts[id] = true;
    const ValueId made = back ? node.inputs[0] : node.outputs[0];
    parts_.made_of[made] = back ? node.outputs[0] : node.inputs[0];
  }

  // Returns the float32 parameter that a 16-bit one is named as a copy of, or kNone.
  ValueId BaseOf(ValueId id) const {
    const Value& copy = graph_.values[id];
    if (!Is16Bit(copy.type) || !IsParameter(graph_, copy) || outputs_.contains(id)) return kNone;
    const std::size_t end = copy.name.rfind("__");
    if (end == std::string_view::npos || end == 0) return kNone;
    const ValueId base = graph_.Find(copy.scope, copy.name.substr(0, end));
    if (!graph_.IsFloat32(base)) return kNone;
    const Value& value = graph_.values[base];
    const bool beside = value.scope == copy.scope && IsParameter(graph_, value) &&
                        (value.producer == kNone) == (copy.producer == kNone);
    return beside && IsMadeOf(copy.name, value.name, *copy.type.dtype) ? base : kNone;
  }

  bool HoldsCopy(ValueId id, ValueId base_id) {
    const Value& copy = graph_.values[id];
    const Value& base = graph_.values[base_id];
    if (copy.producer != kNone) {
      const Node& node = graph_.nodes[copy.producer];
      const Node& of = graph_.nodes[base.producer];
      if (node.op != of.op || node.inputs != of.inputs) return false;
      if (!IsNumbered(node.name, std::string(copy.name) + "_constant")) return false;
      if (node.op == "Cast") return true;
    }
    const TensorId low = ParameterTensor(graph_, copy);
    const TensorId high = ParameterTensor(graph_, base);
    if (low == kNone) return false;
    const bool same_shape =
        high == kNone || graph_.tensors[low].dimensions == graph_.tensors[high].dimensions;
    Diagnostics unused;
    const auto halves = same_shape ? data_.Bytes(low, unused) : std::nullopt;
    const auto floats = halves ? FloatsOf(base) : std::nullopt;
    return floats && IsRounded(*halves, *copy.type.dtype, *floats);
  }

  std::optional<std::string> FloatsOf(const Value& parameter) {
    Diagnostics unused;
    const TensorId tensor = ParameterTensor(graph_, parameter);
    if (tensor != kNone) return data_.Bytes(tensor, unused);
    const std::string_view file = model_.file.bytes();
    for (const WireField& field : model_.Fields(model_.places.nodes[parameter.producer])) {
      const bool value = field.IsBytes(node_field::kAttribute) &&
                         AttributeName(file, field.body).starts_with("value_float");
      if (value) return AttributeFloatBytes(file, field.body);
    }
    return std::string(4, '\0');  // ConstantOfShape without a value
  }

  const OnnxModel& model_;
  const Graph& graph_;
  TensorData& data_;
  std::set<ValueId> outputs_;  // of the main graph
  InsertedParts parts_;
};

}  // namespace

InsertedParts FindInserted(const OnnxModel& model, TensorData& data) {
  return InsertedFinder(model, data).Find();
}

bool IsRounded(std::string_view low, Dtype dtype, std::string_view floats) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;  // elements
  if (floats.size() != 2 * low.size()) return false;
  bool rounded = true;
  bool raised = true;
  std::string piece;
  for (std::size_t at = 0; at < low.size() && (rounded || raised); at += piece.size()) {
    piece.resize(std::min(2 * kPiece, low.size() - at));
    ConvertFloats(floats.data() + 2 * at, piece.size() / 2, dtype, piece.data());
    rounded = rounded && piece == low.substr(at, piece.size());
    ConvertRaised(floats.data() + 2 * at, piece.size() / 2, dtype, piece.data());
    raised = raised && piece == low.substr(at, piece.size());
  }
  return rounded || raised;
}

bool IsNumbered(std::string_view name, const std::string& stem) {
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  if (name.empty()) return true;
  if (name.front() != '_') return false;
  name.remove_prefix(1);
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsMadeOf(std::string_view made, std::string_view name, Dtype dtype) {
  return IsNumbered(made, std::string(name) + "__" + DtypeName(dtype));
}

FreshNames::FreshNames(const Graph& graph) {
  for (const Value& value : graph.values) taken_.insert(std::string(value.name));
}

std::string FreshNames::Make(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; !taken_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

}  // namespace opledger
