// Frames are numbered from the outside in, so that going backwards every length is known before
// that of the message around it.
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
  WireField field;
  WireReader info(bytes, model.places.messages[frame].body);
  while (info.Next(field)) {
    if (field.number != value_info_field::kType || field.type != WireType::kBytes) continue;
    WireReader type(bytes, field.body);
    while (type.Next(field)) {
      if (field.number != type_field::kTensor || field.type != WireType::kBytes) continue;
      WireReader tensor(bytes, field.body);
      while (tensor.Next(field)) {
        if (field.number != tensor_type_field::kElement || field.type != WireType::kVarint)
          continue;
        edits.ReplaceVarint(field.body, static_cast<std::uint64_t>(OnnxDataType(dtype)));
      }
    }
  }
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
  WireReader reader(model.file.bytes(), place.body);
  WireField field;
  while (reader.Next(field)) {
    const bool is_name = field.number == value_info_field::kName && field.type == WireType::kBytes;
    if (is_name) edits.ReplaceText(frame, field, name);
  }
}

std::uint32_t NodeFieldOf(const Graph& graph, ScopeId scope) {
  return graph.scopes[scope].function == kNone ? std::uint32_t{graph_field::kNode}
                                               : std::uint32_t{function_field::kNode};
}

NewBytes CastNode(const Graph& graph, ScopeId scope, std::string_view from, std::string_view to,
                  std::string_view name, Dtype dtype) {
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, "to");
  AppendVarintField(attribute, attribute_field::kInt,
                    static_cast<std::uint64_t>(OnnxDataType(dtype)));
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kInt);
  std::string node;
  AppendBytesField(node, node_field::kInput, from);
  AppendBytesField(node, node_field::kOutput, to);
  AppendBytesField(node, node_field::kName, name);
  AppendBytesField(node, node_field::kOpType, "Cast");
  AppendBytesField(node, node_field::kAttribute, attribute);
  NewBytes bytes;
  AppendBytesField(bytes.bytes, NodeFieldOf(graph, scope), node);
  return bytes;
}

}  // namespace opledger
