// An attribute is found by its name, then its fields are read.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/attribute_values.h"

#include <cstring>

#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

// Where the AttributeProto stands; empty: it is absent.
Span FindAttribute(const OnnxModel& model, NodeId node, std::string_view name) {
  const std::string_view file = model.file.bytes();
  for (const WireField& field : model.Fields(model.places.nodes[node])) {
    const bool attribute = field.IsBytes(node_field::kAttribute);
    if (attribute && AttributeName(file, field.body) == name) return field.body;
  }
  return {};
}

}  // namespace

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
  for (const WireField& field : WireFields(file, FindAttribute(model, node, attribute))) {
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
      AttributeFloatBytes(model.file.bytes(), FindAttribute(model, node, attribute));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::vector<std::string> AttributeStrings(const OnnxModel& model, NodeId node,
                                          std::string_view attribute) {
  const std::string_view file = model.file.bytes();
  std::vector<std::string> strings;
  for (const WireField& field : WireFields(file, FindAttribute(model, node, attribute))) {
    if (!field.IsBytes(attribute_field::kStrings)) continue;
    strings.emplace_back(file.substr(field.body.begin, field.body.size()));
  }
  return strings;
}

}  // namespace opledger
