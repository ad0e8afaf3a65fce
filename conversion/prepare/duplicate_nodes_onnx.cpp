// Compares attributes as they are written, ignoring the order of fields, names of tensors and
// documentation.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/duplicate_nodes_onnx.h"

#include <map>

#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {
namespace {

// Returns the fields of a message sorted by number, without those that `left_out` selects.
template <typename LeaveOut, typename Change>
std::string FieldsText(std::string_view file, Span message, const LeaveOut& left_out,
                       const Change& change) {
  std::map<std::uint32_t, std::string> fields;
  for (const WireField& field : WireFields(file, message)) {
    if (left_out(field)) continue;
    std::string text = change(field);
    AppendVarint(fields[field.number], static_cast<std::uint64_t>(field.type));
    AppendBytesField(fields[field.number], field.number, text);
  }
  std::string all;
  for (const auto& [number, text] : fields) all += text;
  return all;
}

std::string Bytes(std::string_view file, const WireField& field) {
  return std::string(file.substr(field.body.begin, field.body.size()));
}

std::string TensorText(std::string_view file, Span message) {
  return FieldsText(
      file, message,
      [](const WireField& field) {
        return field.number == tensor_field::kName || field.number == tensor_field::kDocumentation;
      },
      [&](const WireField& field) { return Bytes(file, field); });
}

std::string OneAttributeText(std::string_view file, Span message) {
  return FieldsText(
      file, message,
      [](const WireField& field) { return field.number == attribute_field::kDocumentation; },
      [&](const WireField& field) {
        return field.number == attribute_field::kTensor ? TensorText(file, field.body)
                                                        : Bytes(file, field);
      });
}

std::optional<std::string> NodeAttributesText(const OnnxModel& model, NodeId id) {
  const std::string_view file = model.file.bytes();
  std::map<std::string_view, std::string> attributes;
  std::size_t next = 0;
  for (const WireField& field : model.Fields(model.places.nodes[id])) {
    if (field.number == node_field::kDevices) return std::nullopt;
    if (!field.IsBytes(node_field::kAttribute)) continue;
    const Attribute& attribute = model.graph.nodes[id].attributes[next++];
    if (!attribute.scopes.empty()) return std::nullopt;
    if (!attributes.emplace(attribute.name, OneAttributeText(file, field.body)).second) {
      return std::nullopt;
    }
  }
  std::string all;
  for (const auto& [name, text] : attributes) {
    AppendBytesField(all, 1, text);
  }
  return all;
}

}  // namespace

DuplicateNodes FindOnnxDuplicates(const OnnxModel& model, const Typing& typing) {
  return FindDuplicates(model.graph, typing,
                        [&](NodeId id) { return NodeAttributesText(model, id); });
}

EditList RemoveDuplicates(const OnnxModel& model, const DuplicateNodes& found) {
  const Graph& graph = model.graph;
  MessageEdits edits(model.places.messages);
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (found.removed[id]) {
      edits.Remove(model.places.nodes[id]);
      for (const ValueId output : node.outputs) {
        if (output == kNone) continue;
        for (const MessageId declaration : model.places.declarations[output]) {
          edits.Remove(declaration);
        }
      }
      continue;
    }
    RenameValues(model, static_cast<NodeId>(id), edits, [&](ValueId value, bool is_input) {
      const bool replaced = is_input && value != kNone;
      return replaced ? graph.values[found.kept[value]].name : std::string_view();
    });
  }
  return edits.Finish();
}

}  // namespace opledger
