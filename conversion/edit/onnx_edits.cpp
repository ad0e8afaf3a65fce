// First names values: each has a name for every type in which it is wanted, and the model's outputs
// keep theirs. Then edits readers, declarations, parameters and casts, in any order.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/onnx_edits.h"

#include <cstring>
#include <set>
#include <utility>

#include "conversion/edit/edit.h"
#include "conversion/model/half/half.h"
#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

void AppendHead(std::string& out, std::uint32_t number, std::uint64_t size) {
  AppendVarint(out, std::uint64_t{number} << 3 | static_cast<unsigned>(WireType::kBytes));
  AppendVarint(out, size);
}

std::string Field(std::uint32_t number, std::string_view bytes) {
  std::string out;
  AppendBytesField(out, number, bytes);
  return out;
}

// Returns a `value` attribute with these float32 elements in the target type.
std::string LowValueAttribute(const char* numbers, std::size_t count, bool scalar, Dtype target,
                              bool raises) {
  std::string halves(2 * count, '\0');
  ConvertParameter(numbers, count, target, raises, halves.data());
  return ValueAttribute(target, scalar, count, halves);
}

// Writes constants in the target type, in place of the float32 ones or next to them. The elements
// of a converted tensor come last (name, shape and type, then raw_data), so that they can be
// streamed.
class OnnxParameters {
 public:
  // `raises`: raise elements that would become zero to the smallest value of the type.
  OnnxParameters(const OnnxModel& model, Dtype target, bool raises, TensorData& data,
                 OnnxDataFile& data_file, MessageEdits& edits)
      : model_(model),
        target_(target),
        raises_(raises),
        data_(data),
        data_file_(data_file),
        edits_(edits) {}

  // Converts the parameter under its own name.
  void Convert(ValueId id);
  // Inserts a low copy after it under another name.
  void Duplicate(ValueId id, const std::string& name);
  // Moves external tensors that are not converted to the new data file.
  void MoveExternal();

 private:
  NewBytes TensorField(std::uint32_t number, TensorId id, const std::string* name);
  NewBytes NodeField(NodeId id, const std::string& output, const std::string* name);
  std::string TensorHead(TensorId id, const std::string* name);
  void MarkReplaced(const Value& value);
  NewBytes WithNumbers(std::string head, TensorId id);
  std::uint64_t InlineSize(TensorId id) const;
  std::string LowAttribute(const Node& node, Span message, TensorId& tensor);

  const OnnxModel& model_;
  Dtype target_;
  bool raises_;
  TensorData& data_;
  OnnxDataFile& data_file_;
  std::vector<bool> replaced_;  // tensors whose old form is removed
  MessageEdits& edits_;
};

// Returns the bytes of the elements that follow the head of a low tensor; 0 if they are external.
std::uint64_t OnnxParameters::InlineSize(TensorId id) const {
  return data_file_.IsExternal(id) ? 0 : 2 * model_.graph.tensors[id].elements;
}

// Returns a low TensorProto without its elements, up to the length of raw_data.
std::string OnnxParameters::TensorHead(TensorId id, const std::string* name) {
  const std::string_view file = model_.file.bytes();
  std::string head;
  for (const WireField& field : model_.Fields(model_.places.tensors[id])) {
    const std::string_view whole = file.substr(field.whole.begin, field.whole.size());
    switch (field.number) {
      case tensor_field::kFloatData:
      case tensor_field::kRawData:
      case tensor_field::kExternalData:
      case tensor_field::kDataLocation:
        break;
      case tensor_field::kDataType:
        AppendVarintField(head, tensor_field::kDataType,
                          static_cast<std::uint64_t>(OnnxDataType(target_)));
        break;
      case tensor_field::kName:
        if (name == nullptr) head.append(whole);
        break;
      default:
        head.append(whole);
    }
  }
  if (name != nullptr) AppendBytesField(head, tensor_field::kName, *name);
  if (data_file_.IsExternal(id)) return head + data_file_.Add(id, true);
  AppendHead(head, tensor_field::kRawData, InlineSize(id));
  return head;
}

// Returns `head`, followed by the elements in the target type if they are in the model's file.
NewBytes OnnxParameters::WithNumbers(std::string head, TensorId id) {
  if (InlineSize(id) == 0) return {std::move(head), 0, {}};
  NewBytes bytes;
  bytes.size = head.size() + InlineSize(id);
  bytes.produce = [&data = data_, id, target = target_, raises = raises_,
                   head = std::move(head)](OutputSink& sink) {
    std::string piece;
    return sink.Write(head) && data.ForEach(id, [&](const char* numbers, std::size_t count) {
      piece.resize(2 * count);
      ConvertParameter(numbers, count, target, raises, piece.data());
      return sink.Write(piece);
    });
  };
  return bytes;
}

NewBytes OnnxParameters::TensorField(std::uint32_t number, TensorId id, const std::string* name) {
  const std::string tensor = TensorHead(id, name);
  std::string head;
  AppendHead(head, number, tensor.size() + InlineSize(id));
  return WithNumbers(head + tensor, id);
}

// Returns the attribute that sets the type of Constant, ConstantOfShape or Cast, in the target
// type. Sets `tensor` if elements have to follow.
std::string OnnxParameters::LowAttribute(const Node& node, Span message, TensorId& tensor) {
  const std::string_view file = model_.file.bytes();
  if (node.op == "Cast") {
    const bool text =
        node.Find("to") != nullptr && node.Find("to")->kind == Attribute::Kind::kString;
    return CastAttribute(target_, text);
  }
  const Attribute* value = message.size() == 0 ? nullptr : node.Find(AttributeName(file, message));
  if (value != nullptr && value->kind == Attribute::Kind::kTensor) {
    tensor = value->tensor;
    const std::string inner = TensorHead(tensor, nullptr);
    std::string attribute = Field(attribute_field::kName, "value");
    AppendVarintField(attribute, attribute_field::kType, attribute_type::kTensor);
    AppendHead(attribute, attribute_field::kTensor, inner.size() + InlineSize(tensor));
    return attribute + inner;
  }
  if (value != nullptr && value->kind == Attribute::Kind::kList) {
    const std::string numbers = AttributeFloatBytes(file, message);
    return LowValueAttribute(numbers.data(), numbers.size() / 4, false, target_, raises_);
  }
  const float number = value == nullptr ? 0 : value->number;
  char bytes[4];
  std::memcpy(bytes, &number, 4);
  return LowValueAttribute(bytes, 1, node.op == "Constant", target_, raises_);
}

NewBytes OnnxParameters::NodeField(NodeId id, const std::string& output, const std::string* name) {
  const Node& node = model_.graph.nodes[id];
  const std::string_view file = model_.file.bytes();
  std::string body;
  Span typed;
  for (const WireField& field : model_.Fields(model_.places.nodes[id])) {
    const bool attribute = field.IsBytes(node_field::kAttribute);
    const std::string_view attribute_name =
        attribute ? AttributeName(file, field.body) : std::string_view();
    if (attribute_name == "to" || attribute_name.starts_with("value")) {
      typed = field.body;
    } else if (field.IsBytes(node_field::kOutput)) {
      AppendBytesField(body, node_field::kOutput, output);
    } else if (field.IsBytes(node_field::kName) && name != nullptr) {
      AppendBytesField(body, node_field::kName, *name);
    } else {
      body.append(file.substr(field.whole.begin, field.whole.size()));
    }
  }
  TensorId tensor = kNone;
  const std::string attribute = LowAttribute(node, typed, tensor);
  const std::uint64_t numbers = tensor == kNone ? 0 : InlineSize(tensor);
  AppendHead(body, node_field::kAttribute, attribute.size() + numbers);
  body += attribute;
  std::string head;
  AppendHead(head, NodeFieldOf(model_.graph, node.scope), body.size() + numbers);
  head += body;
  if (tensor == kNone) return {std::move(head), 0, {}};
  return WithNumbers(std::move(head), tensor);
}

void OnnxParameters::Convert(ValueId id) {
  const Value& value = model_.graph.values[id];
  const MessageSpan& place = model_.places.messages[model_.MakerOf(value)];
  MarkReplaced(value);
  edits_.Replace(place.parent, place.whole,
                 value.producer == kNone
                     ? TensorField(graph_field::kInitializer, value.tensor, nullptr)
                     : NodeField(value.producer, std::string(value.name), nullptr));
}

void OnnxParameters::Duplicate(ValueId id, const std::string& name) {
  const Value& value = model_.graph.values[id];
  const MessageSpan& place = model_.places.messages[model_.MakerOf(value)];
  const std::string node_name = name + "_constant";
  edits_.Insert(place.parent, place.whole.end,
                value.producer == kNone
                    ? TensorField(graph_field::kInitializer, value.tensor, &name)
                    : NodeField(value.producer, name, &node_name));
}

void OnnxParameters::MarkReplaced(const Value& value) {
  replaced_.resize(model_.graph.tensors.size());
  const TensorId tensor = ParameterTensor(model_.graph, value);
  if (tensor != kNone) replaced_[tensor] = true;
}

void OnnxParameters::MoveExternal() {
  replaced_.resize(model_.graph.tensors.size());
  for (TensorId id = 0; id < static_cast<TensorId>(model_.graph.tensors.size()); ++id) {
    if (replaced_[id] || !data_file_.IsExternal(id)) continue;
    const MessageId frame = model_.places.tensors[id];
    // Replace the old fields instead of inserting after them, since other insertions would come
    // between.
    std::string where = data_file_.Add(id, false);
    for (const WireField& field : model_.Fields(frame)) {
      const bool place = field.number == tensor_field::kExternalData ||
                         field.number == tensor_field::kDataLocation;
      if (place) edits_.Replace(frame, field.whole, {std::exchange(where, {}), 0, {}});
    }
  }
}

class OnnxEditor {
 public:
  OnnxEditor(const OnnxModel& model, const Plan& plan, Dtype target, TensorData& data,
             OnnxDataFile& data_file)
      : model_(model),
        graph_(model.graph),
        plan_(plan),
        target_(target),
        fresh_(model.graph),
        edits_(model.places.messages),
        parameters_(model, target, plan.raises_small, data, data_file, edits_) {}

  EditList Edits() {
    NameValues();
    for (const NodeId id : plan_.unread_casts) RemoveCast(id);
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) EditNode(id);
    for (ScopeId id = 0; id < static_cast<ScopeId>(graph_.scopes.size()); ++id) EditOutputs(id);
    for (const PlannedAttribute& planned : plan_.attributes) {
      SetAttribute(planned.node, planned.said);
    }
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) EditValue(id);
    parameters_.MoveExternal();
    return edits_.Finish();
  }

 private:
  struct Names {
    std::string low;
    std::string high;
  };

  void NameValues() {
    names_.resize(graph_.values.size());
    own_is_low_.resize(graph_.values.size());
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const ValuePlan& value = plan_.values[id];
      own_is_low_[id] = value.parameter ? value.wanted_low && !value.wanted_high : value.low;
    }
    // The model's outputs keep their names.
    for (std::size_t i = 0; i < graph_.scopes[0].outputs.size(); ++i) {
      const ValueId output = graph_.scopes[0].outputs[i];
      if (output == kNone || plan_.values[output].parameter) continue;
      own_is_low_[output] = plan_.scope_outputs[0][i] == Want::kLow;
    }
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const ValuePlan& value = plan_.values[id];
      const std::string name(graph_.values[id].name);
      names_[id] = {name, name};
      if (!value.float32) continue;
      const bool both = value.CastDown() || value.CastUp() ||
                        (value.parameter && value.wanted_low && value.wanted_high);
      if (!both) continue;
      if (own_is_low_[id]) {
        names_[id].high = fresh_.Make(name + "__float32");
      } else {
        names_[id].low = fresh_.Make(name + "__" + DtypeName(target_));
      }
    }
  }

  void RemoveCast(NodeId id) {
    removed_.insert(id);
    edits_.Remove(model_.places.nodes[id]);
    for (const MessageId frame : model_.places.declarations[graph_.nodes[id].outputs[0]]) {
      edits_.Remove(frame);
    }
  }

  // Returns the value that low readers read, skipping casts of the model that change nothing.
  ValueId LowSource(ValueId id) const {
    while (plan_.values[id].same_low != kNone) id = plan_.values[id].same_low;
    return id;
  }

  std::string_view NameFor(ValueId id, Want want) const {
    if (want == Want::kLow || !plan_.values[id].float32) {
      id = LowSource(id);
      if (!plan_.values[id].float32) return graph_.values[id].name;
      want = Want::kLow;
    }
    const ValuePlan& value = plan_.values[id];
    const bool as_computed = value.parameter ? own_is_low_[id] : static_cast<bool>(value.low);
    const bool low = want == Want::kLow || (want == Want::kAsItIs && as_computed);
    return low ? names_[id].low : names_[id].high;
  }

  void EditNode(NodeId id) {
    if (removed_.contains(id)) return;
    std::size_t input = 0;
    RenameValues(model_, id, edits_, [&](ValueId value, bool is_input) -> std::string_view {
      const Want want = is_input ? plan_.inputs[id][input++] : Want::kAsItIs;
      if (value == kNone) return {};
      return is_input || plan_.values[value].float32 ? NameFor(value, want)
                                                     : graph_.values[value].name;
    });
    if (plan_.low[id] && graph_.nodes[id].op == "Cast") RetypeCast(id);
  }

  // Makes the model's own cast, which changed nothing, cast to the target type.
  void RetypeCast(NodeId id) {
    const MessageId frame = model_.places.nodes[id];
    for (const WireField& field : model_.Fields(frame)) {
      if (!field.IsBytes(node_field::kAttribute)) continue;
      if (AttributeName(model_.file.bytes(), field.body) != "to") continue;
      const bool text = graph_.nodes[id].Find("to")->kind == Attribute::Kind::kString;
      NewBytes bytes;
      AppendBytesField(bytes.bytes, node_field::kAttribute, CastAttribute(target_, text));
      edits_.Replace(frame, field.whole, std::move(bytes));
    }
  }

  void SetAttribute(NodeId id, const SaidType& said) {
    const MessageId frame = model_.places.nodes[id];
    std::string text =
        Field(node_field::kAttribute, IntegerAttribute(said.attribute, OnnxDataType(said.dtype)));
    for (const WireField& field : model_.Fields(frame)) {
      const bool old = field.IsBytes(node_field::kAttribute) &&
                       AttributeName(model_.file.bytes(), field.body) == said.attribute;
      if (!old) continue;
      edits_.Replace(frame, field.whole, {std::move(text), 0, {}});
      return;
    }
    edits_.Insert(frame, model_.places.messages[frame].body.begin, {std::move(text), 0, {}});
  }

  // Sets which version of a value the outputs of inner graphs and functions use.
  void EditOutputs(ScopeId id) {
    const Scope& scope = graph_.scopes[id];
    for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
      const ValueId value = scope.outputs[i];
      if (value == kNone || !plan_.values[value].float32) continue;
      const Want want = plan_.scope_outputs[id][i];
      const std::string name(NameFor(value, want));
      if (scope.function == kNone && want == Want::kLow) {
        RetypeValueInfo(model_, model_.places.outputs[id][i], target_, edits_);
      }
      if (name != graph_.values[value].name) RenameOutput(model_, id, i, name, edits_);
    }
  }

  void EditValue(ValueId id) {
    const Value& value = graph_.values[id];
    const ValuePlan& plan = plan_.values[id];
    if (!plan.float32 || removed_.contains(value.producer)) return;
    if (own_is_low_[id]) {
      for (const MessageId frame : model_.places.declarations[id])
        RetypeValueInfo(model_, frame, target_, edits_);
    }
    if (plan.parameter) {
      if (plan.wanted_low && plan.wanted_high) {
        parameters_.Duplicate(id, names_[id].low);
        if (model_.listed_initializers.contains(id)) ListInitializer(id, names_[id].low);
      }
      if (plan.wanted_low && !plan.wanted_high) parameters_.Convert(id);
      return;
    }
    if (plan.stored_low) parameters_.Convert(id);
    if (plan.CastDown()) InsertCast(value, names_[id].high, names_[id].low, target_);
    if (plan.CastUp()) InsertCast(value, names_[id].low, names_[id].high, Dtype::kFloat32);
  }

  // Lists the low copy of an initializer that is listed as an input, after the original.
  void ListInitializer(ValueId id, const std::string& name) {
    const MessageSpan& place = model_.places.messages[model_.places.declarations[id].front()];
    NewBytes bytes;
    AppendBytesField(
        bytes.bytes, graph_field::kInput,
        TensorInfo(name, target_, graph_.tensors[graph_.values[id].tensor].dimensions));
    edits_.Insert(place.parent, place.whole.end, std::move(bytes));
  }

  void InsertCast(const Value& value, const std::string& from, const std::string& to, Dtype dtype) {
    InsertCastOf(model_, value,
                 CastNode(graph_, value.scope, from, to, fresh_.Make(to + "_cast"), dtype), edits_);
  }

  const OnnxModel& model_;
  const Graph& graph_;
  const Plan& plan_;
  Dtype target_;
  FreshNames fresh_;
  MessageEdits edits_;
  OnnxParameters parameters_;
  std::set<NodeId> removed_;
  std::vector<Names> names_;      // per value
  std::vector<bool> own_is_low_;  // per value: its own name refers to the low version
};

}  // namespace

EditList OnnxEdits(const OnnxModel& model, const Plan& plan, Dtype target, TensorData& data,
                   OnnxDataFile& data_file) {
  if (!plan.Changes()) return {};
  return OnnxEditor(model, plan, target, data, data_file).Edits();
}

}  // namespace opledger
