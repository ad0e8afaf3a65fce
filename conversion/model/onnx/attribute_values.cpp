// Finds an attribute by name, then reads its fields.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/attribute_values.h"

#include <cstring>

#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {

Span PlaceOfAttribute(const OnnxModel& model, NodeId node, std::string_view name) {
  const auto elsewhere = model.attribute_places.find({node, name});
  if (elsewhere != model.attribute_places.end()) return elsewhere->second;
  if (model.places.nodes[node] == kNone) return {};  // the node is not in the file
  const std::string_view file = model.file.bytes();
  for (const WireField& field : model.Fields(model.places.nodes[node])) {
    const bool attribute = field.IsBytes(node_field::kAttribute);
    if (attribute && AttributeName(file, field.body) == name) return field.body;
  }
  return {};
}

bool ReadPlainAttribute(std::string_view file, Span message, Attribute& attribute) {
  using Kind = Attribute::Kind;
  attribute = {};
  for (const WireField& field : WireFields(file, message)) {
    switch (field.number) {
      case attribute_field::kName:
      case attribute_field::kDocumentation:
      case attribute_field::kType:
        break;
      case attribute_field::kFloat:
        if (field.body.size() != sizeof(float)) return false;
        attribute.kind = Kind::kFloat;
        std::memcpy(&attribute.number, file.data() + field.body.begin, sizeof(float));
        break;
      case attribute_field::kInt:
        attribute.kind = Kind::kInt;
        attribute.integer = static_cast<std::int64_t>(field.value);
        break;
      case attribute_field::kString:
        attribute.kind = Kind::kString;
        attribute.text = file.substr(field.body.begin, field.body.size());
        break;
      case attribute_field::kFloats:
      case attribute_field::kInts:
      case attribute_field::kStrings:
        attribute.kind = Kind::kList;
        break;
      default:
        return false;
    }
  }
  return true;
}

std::string_view AttributeName(std::string_view file, Span message) {
  for (const WireField& field : WireFields(file, message)) {
    if (field.number == attribute_field::kName) {
      return file.substr(field.body.begin, field.body.size());
    }
  }
  return {};
}

std::string AttributeFloatBytes(std::string_view file, Span message) {
  std::string numbers;
  for (const WireField& field : WireFields(file, message)) {
    if (field.number != attribute_field::kFloats) continue;
    numbers.append(file.substr(field.body.begin, field.body.size() / 4 * 4));
  }
  return numbers;
}

std::vector<std::int64_t> AttributeIntegers(const OnnxModel& model, NodeId node,
                                            std::string_view attribute) {
  const std::string_view file = model.file.bytes();
  std::vector<std::int64_t> integers;
  for (const WireField& field : WireFields(file, PlaceOfAttribute(model, node, attribute))) {
    if (field.number != attribute_field::kInts) continue;
    std::uint64_t value = 0;
    for (std::size_t at = field.body.begin; at < field.body.end;) {
      if (!ReadVarint(file, at, field.body.end, value)) break;
      integers.push_back(static_cast<std::int64_t>(value));
    }
  }
  return integers;
}

std::vector<float> AttributeFloats(const OnnxModel& model, NodeId node,
                                   std::string_view attribute) {
  const std::string bytes =
      AttributeFloatBytes(model.file.bytes(), PlaceOfAttribute(model, node, attribute));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::vector<std::string> AttributeStrings(const OnnxModel& model, NodeId node,
                                          std::string_view attribute) {
  const std::string_view file = model.file.bytes();
  std::vector<std::string> strings;
  for (const WireField& field : WireFields(file, PlaceOfAttribute(model, node, attribute))) {
    if (!field.IsBytes(attribute_field::kStrings)) continue;
    strings.emplace_back(file.substr(field.body.begin, field.body.size()));
  }
  return strings;
}

}  // namespace opledger
