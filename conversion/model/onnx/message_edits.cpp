// Updates the lengths from the innermost messages outward: frames are numbered from the outside in,
// so Finish() visits them in reverse.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/message_edits.h"

#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {

void MessageEdits::Replace(MessageId frame, Span span, NewBytes bytes) {
  if (frame != kNone) {
    growth_[frame] +=
        static_cast<std::int64_t>(bytes.Size()) - static_cast<std::int64_t>(span.size());
  }
  edits_.Replace(span, std::move(bytes));
}

void MessageEdits::ReplaceText(MessageId frame, const WireField& field, std::string_view text) {
  NewBytes bytes;
  AppendBytesField(bytes.bytes, field.number, text);
  Replace(frame, field.whole, std::move(bytes));
}

void MessageEdits::ReplaceVarint(Span span, std::uint64_t value) {
  std::string bytes;
  for (std::size_t i = 0; i < span.size(); ++i) {
    const bool last = i + 1 == span.size();
    bytes.push_back(static_cast<char>((value & 0x7f) | (last ? 0 : 0x80)));
    value >>= 7;
  }
  edits_.Replace(span, {std::move(bytes), 0, {}});
}

EditList MessageEdits::Finish() {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const MessageSpan& frame = frames_[i];
    if (growth_[i] == 0) continue;
    std::string length;
    AppendVarint(length, static_cast<std::uint64_t>(static_cast<std::int64_t>(frame.body.size()) +
                                                    growth_[i]));
    if (frame.parent != kNone) {
      growth_[frame.parent] += growth_[i] + static_cast<std::int64_t>(length.size()) -
                               static_cast<std::int64_t>(frame.length.size());
    }
    edits_.Replace(frame.length, {std::move(length), 0, {}});
  }
  return std::move(edits_);
}

void RetypeValueInfo(const OnnxModel& model, MessageId frame, Dtype dtype, MessageEdits& edits) {
  const std::string_view bytes = model.file.bytes();
  for (const WireField& info : model.Fields(frame)) {
    if (!info.IsBytes(value_info_field::kType)) continue;
    for (const WireField& type : WireFields(bytes, info.body)) {
      if (!type.IsBytes(type_field::kTensor)) continue;
      for (const WireField& element : WireFields(bytes, type.body)) {
        if (!element.IsVarint(tensor_type_field::kElement)) continue;
        edits.ReplaceVarint(element.body, static_cast<std::uint64_t>(OnnxDataType(dtype)));
      }
    }
  }
}

std::string TensorInfo(std::string_view name, Dtype dtype,
                       const std::vector<std::int64_t>& dimensions) {
  std::string shape;
  for (const std::int64_t dimension : dimensions) {
    std::string text;
    AppendVarintField(text, dimension_field::kNumber, static_cast<std::uint64_t>(dimension));
    AppendBytesField(shape, shape_field::kDimension, text);
  }
  std::string tensor;
  AppendVarintField(tensor, tensor_type_field::kElement,
                    static_cast<std::uint64_t>(OnnxDataType(dtype)));
  AppendBytesField(tensor, tensor_type_field::kShape, shape);
  std::string type;
  AppendBytesField(type, type_field::kTensor, tensor);
  std::string info;
  AppendBytesField(info, value_info_field::kName, name);
  AppendBytesField(info, value_info_field::kType, type);
  return info;
}

void RenameOutput(const OnnxModel& model, ScopeId scope, std::size_t position,
                  std::string_view name, MessageEdits& edits) {
  const MessageId frame = model.places.outputs[scope][position];
  const MessageSpan& place = model.places.messages[frame];
  if (model.graph.scopes[scope].function != kNone) {
    NewBytes bytes;
    AppendBytesField(bytes.bytes, function_field::kOutput, name);
    edits.Replace(place.parent, place.whole, std::move(bytes));
    return;
  }
  for (const WireField& field : WireFields(model.file.bytes(), place.body)) {
    const bool is_name = field.IsBytes(value_info_field::kName);
    if (is_name) edits.ReplaceText(frame, field, name);
  }
}

void RenameValues(const OnnxModel& model, NodeId id, MessageEdits& edits,
                  const std::function<std::string_view(ValueId value, bool is_input)>& name_of) {
  const Node& node = model.graph.nodes[id];
  std::size_t input = 0;
  std::size_t output = 0;
  for (const WireField& field : model.Fields(model.places.nodes[id])) {
    const bool is_input = field.IsBytes(node_field::kInput);
    if (!is_input && !field.IsBytes(node_field::kOutput)) continue;
    const ValueId value = is_input ? node.inputs[input++] : node.outputs[output++];
    const std::string_view name = name_of(value, is_input);
    if (name.empty() || name == model.graph.values[value].name) continue;
    edits.ReplaceText(model.places.nodes[id], field, name);
  }
}

std::uint32_t NodeFieldOf(const Graph& graph, ScopeId scope) {
  return graph.scopes[scope].function == kNone ? std::uint32_t{graph_field::kNode}
                                               : std::uint32_t{function_field::kNode};
}

std::string IntegerAttribute(std::string_view name, std::int64_t number) {
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, name);
  AppendVarintField(attribute, attribute_field::kInt, static_cast<std::uint64_t>(number));
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kInt);
  return attribute;
}

std::string ValueAttribute(Dtype dtype, bool scalar, std::size_t count, std::string_view raw) {
  std::string tensor;
  if (!scalar) AppendVarintField(tensor, tensor_field::kDimensions, count);
  AppendVarintField(tensor, tensor_field::kDataType,
                    static_cast<std::uint64_t>(OnnxDataType(dtype)));
  AppendBytesField(tensor, tensor_field::kRawData, raw);
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, "value");
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kTensor);
  AppendBytesField(attribute, attribute_field::kTensor, tensor);
  return attribute;
}

std::string CastAttribute(Dtype dtype, bool as_text) {
  if (!as_text) return IntegerAttribute("to", OnnxDataType(dtype));
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, "to");
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kString);
  AppendBytesField(attribute, attribute_field::kString,
                   dtype == Dtype::kFloat16    ? "FLOAT16"
                   : dtype == Dtype::kBfloat16 ? "BFLOAT16"
                                               : "FLOAT");
  return attribute;
}

NewBytes CastNode(const Graph& graph, ScopeId scope, std::string_view from, std::string_view to,
                  std::string_view name, Dtype dtype) {
  std::string node;
  AppendBytesField(node, node_field::kInput, from);
  AppendBytesField(node, node_field::kOutput, to);
  AppendBytesField(node, node_field::kName, name);
  AppendBytesField(node, node_field::kOpType, "Cast");
  const bool as_text = graph.OpsetIn(scope) < 6;  // numbers since version 6
  AppendBytesField(node, node_field::kAttribute, CastAttribute(dtype, as_text));
  NewBytes bytes;
  AppendBytesField(bytes.bytes, NodeFieldOf(graph, scope), node);
  return bytes;
}

void InsertCastOf(const OnnxModel& model, const Value& value, NewBytes cast, MessageEdits& edits) {
  const OnnxPlaces& places = model.places;
  const std::vector<NodeId>& nodes = model.graph.scopes[value.scope].nodes;
  const MessageId frame = places.scopes[value.scope];
  std::size_t at = places.messages[frame].body.end;
  if (value.producer != kNone) {
    at = places.messages[places.nodes[value.producer]].whole.end;
  } else if (!nodes.empty()) {
    at = places.messages[places.nodes[nodes.front()]].whole.begin;
  }
  edits.Insert(frame, at, std::move(cast));
}

}  // namespace opledger
