// Restores names, then edits readers, types and elements, and removes casts and copies.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <utility>

#include "conversion/edit/edit.h"
#include "conversion/model/graph/types.h"
#include "conversion/model/half/half.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/model/onnx/wire.h"
#include "conversion/revert/revert.h"
#include "registry/files/output_files.h"

namespace opledger {
namespace {

constexpr std::uint64_t kFloat = 1;                          // TensorProto.FLOAT
constexpr std::uint64_t kMaxBytes = std::uint64_t{2} << 30;  // of one message

bool Is16Bit(const std::optional<Dtype>& dtype) {
  return dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
}

class OnnxUpcaster {
 public:
  OnnxUpcaster(const OnnxModel& model, const UpcastOptions& options, Diagnostics& diagnostics)
      : model_(model),
        graph_(model.graph),
        options_(options),
        diagnostics_(diagnostics),
        data_(model),
        parts_(FindInserted(model, data_)),
        fresh_(model.graph),
        edits_(model.places.messages) {}

  bool Edit() {
    if (options_.only_ours && !OnlyOurs()) return false;
    FindBorder();
    FindHolders();
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) EditNode(id);
    for (ScopeId id = 0; id < static_cast<ScopeId>(graph_.scopes.size()); ++id) EditOutputs(id);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) EditValue(id);
    for (TensorId id = 0; id < static_cast<TensorId>(graph_.tensors.size()); ++id) {
      if (Is16Bit(graph_.tensors[id].dtype) && !EditTensor(id)) return false;
    }
    return true;
  }

  EditList Finish() { return edits_.Finish(); }
  std::size_t removed() const { return removed_; }
  std::size_t upcast() const { return upcast_; }

 private:
  bool IsLow(ValueId id) const {
    const ValueType& type = graph_.values[id].type;
    return type.kind == ValueType::Kind::kTensor && Is16Bit(type.dtype);
  }

  bool NotOurs(const std::string& what) {
    return diagnostics_.Error({.path = model_.file.path()},
                              what + ", which may be the original's own",
                              "revert with the sidecar of the conversion, or use `opledger convert "
                              "--target-dtype float32`, which makes everything float32");
  }

  bool OnlyOurs() {
    const Scope& main = graph_.scopes[0];
    for (const auto* values : {&main.inputs, &main.outputs}) {
      for (const ValueId id : *values) {
        if (id == kNone || !IsLow(id)) continue;
        return NotOurs("the model's '" + std::string(graph_.values[id].name) + "' is in 16 bits");
      }
    }
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      const Node& node = graph_.nodes[id];
      const bool cast = node.op == "Cast" || node.op == "CastLike";
      if (!cast || parts_.casts[id] || node.inputs.empty() || node.outputs.empty()) continue;
      const bool from = node.inputs[0] != kNone && IsLow(node.inputs[0]);
      const bool to = graph_.IsFloat32(node.inputs[0]) && IsLow(node.outputs[0]);
      if (from || to) return NotOurs(NodeText(graph_, id) + " casts 16-bit values");
    }
    return true;
  }

  // Gives inputs and outputs that keep their type a float32 twin within the model.
  void FindBorder() {
    is_border_.resize(graph_.values.size());
    kept_.resize(graph_.nodes.size());
    names_.resize(graph_.values.size());
    if (options_.keep_io) FindTwins();
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) {
      ValueId first = id;  // the original of removed parts
      while (parts_.made_of[first] != kNone) first = parts_.made_of[first];
      if (first != id) names_[id] = NameOf(first);
    }
  }

  // Returns the name of a value in the result.
  std::string NameOf(ValueId id) const {
    return names_[id].empty() ? std::string(graph_.values[id].name) : names_[id];
  }

  void FindTwins() {
    const Scope& main = graph_.scopes[0];
    for (const auto* values : {&main.inputs, &main.outputs}) {
      for (const ValueId id : *values) {
        if (id == kNone || !IsLow(id) || is_border_[id]) continue;
        is_border_[id] = true;
        if (KeepCast(id)) continue;
        names_[id] = fresh_.Make(std::string(graph_.values[id].name) + "__float32");
        InsertCast(id, names_[id]);
      }
    }
  }

  // Keeps our cast from float32 to an output, or from an input to float32. Readers within the model
  // read its other side.
  bool KeepCast(ValueId id) {
    const Value& value = graph_.values[id];
    NodeId cast = value.producer;
    if (cast == kNone) {
      const auto use = std::find_if(value.uses.begin(), value.uses.end(),
                                    [&](const Use& each) { return parts_.casts[each.node]; });
      if (use != value.uses.end()) cast = use->node;
    }
    if (cast == kNone || !parts_.casts[cast]) return false;
    const Node& node = graph_.nodes[cast];
    const ValueId twin = value.producer == kNone ? node.outputs[0] : node.inputs[0];
    parts_.casts[cast] = false;
    kept_[cast] = true;
    parts_.made_of[twin] = kNone;
    parts_.made_of[id] = twin;
    return true;
  }

  // Inserts a cast after the node that computes an output, or before all readers of an input.
  void InsertCast(ValueId id, const std::string& twin) {
    const Value& value = graph_.values[id];
    const std::string name(value.name);
    const bool computed = value.producer != kNone;
    const std::string& to = computed ? name : twin;
    InsertCastOf(model_, value,
                 CastNode(graph_, 0, computed ? twin : name, to, to + "_cast",
                          computed ? *value.type.dtype : Dtype::kFloat32),
                 edits_);
  }

  bool IsCopy(const Node& node) const {
    return node.outputs.size() == 1 && node.outputs[0] != kNone && parts_.copies[node.outputs[0]];
  }

  void EditNode(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (kept_[id]) return;
    if (parts_.casts[id] || IsCopy(node)) {
      removed_ += parts_.casts[id] ? 1 : 0;
      edits_.Remove(model_.places.nodes[id]);
      return;
    }
    const bool low = std::any_of(node.outputs.begin(), node.outputs.end(),
                                 [&](ValueId value) { return value != kNone && IsLow(value); });
    RenameValues(model_, id, edits_, [&](ValueId value, bool) -> std::string_view {
      return value == kNone ? std::string_view() : names_[value];
    });
    if (!low) return;
    for (const WireField& field : model_.Fields(model_.places.nodes[id])) {
      if (field.IsBytes(node_field::kAttribute)) EditAttribute(field.body);
    }
  }

  // Sets `to` and `dtype` to float32 if they name a 16-bit type.
  void EditAttribute(Span message) {
    const std::string_view file = model_.file.bytes();
    WireField number;
    bool says_type = false;
    for (const WireField& field : WireFields(file, message)) {
      const std::string_view text = file.substr(field.body.begin, field.body.size());
      if (field.number == attribute_field::kName) says_type = text == "to" || text == "dtype";
      if (field.IsVarint(attribute_field::kInt)) number = field;
    }
    const bool low = number.number == attribute_field::kInt &&
                     Is16Bit(OnnxDtype(static_cast<std::int64_t>(number.value)));
    if (says_type && low) edits_.ReplaceVarint(number.body, kFloat);
  }

  void EditOutputs(ScopeId id) {
    const Scope& scope = graph_.scopes[id];
    for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
      const ValueId value = scope.outputs[i];
      if (value == kNone || is_border_[value]) continue;
      if (scope.function == kNone && IsLow(value))
        RetypeValueInfo(model_, model_.places.outputs[id][i], Dtype::kFloat32, edits_);
      // The model's outputs keep their names.
      const std::string& name = names_[value];
      if (id != 0 && !name.empty()) RenameOutput(model_, id, i, name, edits_);
    }
  }

  void EditValue(ValueId id) {
    if (!IsLow(id) || is_border_[id]) return;
    if (parts_.copies[id]) {  // a copied initializer may be listed as an input
      for (const MessageId frame : model_.places.declarations[id]) edits_.Remove(frame);
      return;
    }
    ++upcast_;
    for (const MessageId frame : model_.places.declarations[id])
      RetypeValueInfo(model_, frame, Dtype::kFloat32, edits_);
  }

  // Finds the value or node that holds each tensor.
  void FindHolders() {
    value_of_.assign(graph_.tensors.size(), kNone);
    node_of_.assign(graph_.tensors.size(), kNone);
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const Value& value = graph_.values[id];
      const bool holds = value.tensor != kNone && value.producer == kNone;
      if (holds) value_of_[value.tensor] = static_cast<ValueId>(id);
    }
    for (std::size_t id = 0; id < graph_.nodes.size(); ++id) {
      for (const Attribute& attribute : graph_.nodes[id].attributes) {
        if (attribute.tensor != kNone) node_of_[attribute.tensor] = static_cast<NodeId>(id);
      }
    }
  }

  bool EditTensor(TensorId id) {
    const MessageId frame = model_.places.tensors[id];
    const ValueId value = value_of_[id];
    if (value != kNone && is_border_[value]) return true;
    if (value != kNone && parts_.copies[value]) {
      edits_.Remove(frame);
      return true;
    }
    const NodeId node = node_of_[id];
    return (node != kNone && IsCopy(graph_.nodes[node])) || Rewrite(id, frame);
  }

  bool Rewrite(TensorId id, MessageId frame) {
    const auto halves = data_.Bytes(id, diagnostics_);
    if (!halves) return false;
    total_ += 2 * halves->size();
    if (total_ + model_.file.bytes().size() >= kMaxBytes) {
      return diagnostics_.Error({.path = model_.file.path()},
                                "in float32 the model's file would exceed 2 GB",
                                "revert with the sidecar of the conversion");
    }
    std::string numbers(2 * halves->size(), '\0');
    UpcastFloats(halves->data(), halves->size() / 2, *graph_.tensors[id].dtype, numbers.data());
    NewBytes bytes;
    AppendBytesField(bytes.bytes, tensor_field::kRawData, numbers);
    for (const WireField& field : model_.Fields(frame)) {
      const bool type = field.IsVarint(tensor_field::kDataType);
      if (type) edits_.ReplaceVarint(field.body, kFloat);
      const bool stored = field.number == tensor_field::kInt32Data ||
                          field.number == tensor_field::kRawData ||
                          field.number == tensor_field::kExternalData ||
                          field.number == tensor_field::kDataLocation;
      if (stored) edits_.Replace(frame, field.whole, std::exchange(bytes, {}));
    }
    return true;
  }

  const OnnxModel& model_;
  const Graph& graph_;
  const UpcastOptions& options_;
  Diagnostics& diagnostics_;
  TensorData data_;
  InsertedParts parts_;
  FreshNames fresh_;
  MessageEdits edits_;
  std::vector<bool> is_border_;     // per value
  std::vector<std::string> names_;  // per value: its name for readers; empty: unchanged
  std::vector<bool> kept_;          // per node: a cast at the model's border
  std::vector<ValueId> value_of_;   // per tensor
  std::vector<NodeId> node_of_;
  std::uint64_t total_ = 0;
  std::size_t removed_ = 0;
  std::size_t upcast_ = 0;
};

// Reads and types a model. Reports an error if it is invalid.
std::optional<OnnxModel> ReadTyped(SourceFile file, const char* what, Diagnostics& diagnostics) {
  auto model = ReadOnnx(std::move(file), diagnostics);
  auto signatures = Signatures::Load("onnx", diagnostics);
  if (!model || !signatures) return std::nullopt;
  for (const std::string& problem : model->problems) {
    diagnostics.Error({.path = model->file.path()}, problem, what);
  }
  for (const TypeProblem& problem : InferTypes(model->graph, *signatures).problems) {
    diagnostics.Error({.path = model->file.path()},
                      NodeText(model->graph, problem.node) + ": " + problem.message, what);
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return model;
}

bool CheckExternal(const OnnxModel& model, const std::string& output, Diagnostics& diagnostics) {
  const bool external =
      std::any_of(model.graph.tensors.begin(), model.graph.tensors.end(), [](const Tensor& tensor) {
        return tensor.storage == Tensor::Storage::kExternal && !Is16Bit(tensor.dtype);
      });
  namespace fs = std::filesystem;
  const fs::path from = fs::path(model.file.path()).parent_path();
  const fs::path to = fs::path(output).parent_path();
  std::error_code error;
  if (!external || fs::equivalent(from.empty() ? "." : from, to.empty() ? "." : to, error)) {
    return true;
  }
  return diagnostics.Error({.path = output}, "the model's external data stays in its folder",
                           "write into the folder of " + model.file.path());
}

}  // namespace

std::optional<EditList> UpcastEdits(const OnnxModel& model, const UpcastOptions& options,
                                    Diagnostics& diagnostics) {
  OnnxUpcaster upcaster(model, options, diagnostics);
  if (!upcaster.Edit()) return std::nullopt;
  return upcaster.Finish();
}

bool UpcastOnnx(SourceFile file, const UpcastOptions& options, std::string& text,
                Diagnostics& diagnostics) {
  const auto model = ReadTyped(std::move(file), "the input model is invalid", diagnostics);
  if (!model) return false;
  if (!options.output.empty()) {
    const std::vector<std::string> data = ExternalFiles(model->graph, model->file.path());
    if (!CheckOutputFiles({{}, data, {}}, {{"-o", options.output}}, diagnostics)) return false;
    if (!CheckExternal(*model, options.output, diagnostics)) return false;
  }
  OnnxUpcaster upcaster(*model, options, diagnostics);
  if (!upcaster.Edit()) return false;
  text = Printable(model->file.path()) + ": " + std::to_string(upcaster.upcast()) +
         " 16-bit values converted to float32, " + std::to_string(upcaster.removed()) +
         (upcaster.removed() == 1 ? " cast" : " casts") + " of a conversion removed\n";
  if (options.output.empty()) return true;
  EditList edits = upcaster.Finish();
  const auto verify = [&](const std::string& path) {
    auto written = SourceFile::Open(path, diagnostics);
    return written && ReadTyped(std::move(*written),
                                "nothing was written: the model cannot be "
                                "converted to float32 as a whole",
                                diagnostics);
  };
  return WriteEdited(model->file, edits, options.output, diagnostics, {.accept = verify});
}

}  // namespace opledger
