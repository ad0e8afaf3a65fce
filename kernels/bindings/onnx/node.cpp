// Reads attributes and constant inputs; an attribute of another type counts as absent.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (AttributeProto)
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/node.h"

#include "conversion/model/onnx/attribute_values.h"
#include "kernels/tensor/element.h"

namespace opledger {
void OnnxNode::ReadOpset() {
  const auto& opsets = model_.graph.OpsetsIn(node_.scope);
  const auto found = opsets.find(node_.domain);
  opset_ = found == opsets.end() ? 1 : found->second;
}

std::int64_t OnnxNode::Integer(std::string_view name, std::int64_t absent) const {
  const Attribute* attribute = node_.Find(name);
  const bool is = attribute != nullptr && attribute->kind == Attribute::Kind::kInt;
  return is ? attribute->integer : absent;
}

double OnnxNode::Number(std::string_view name, double absent) const {
  const Attribute* attribute = node_.Find(name);
  const bool is = attribute != nullptr && attribute->kind == Attribute::Kind::kFloat;
  return is ? static_cast<double>(attribute->number) : absent;
}

Integers OnnxNode::List(std::string_view name) const {
  return AttributeIntegers(model_, inputs_.node, name);
}

TensorId OnnxNode::TensorOf(std::string_view attribute) const {
  const Attribute* found = node_.Find(attribute);
  return found != nullptr && found->kind == Attribute::Kind::kTensor ? found->tensor : kNone;
}

std::vector<float> OnnxNode::Numbers(std::string_view name) const {
  return AttributeFloats(model_, inputs_.node, name);
}

std::vector<std::string> OnnxNode::Words(std::string_view name) const {
  return AttributeStrings(model_, inputs_.node, name);
}

std::optional<Integers> OnnxNode::KnownIntegers(std::size_t input) const {
  if (!IsKnown(input)) return std::nullopt;
  const std::size_t count = Elements(Input(input).dimensions);
  Integers integers;
  const auto use = [&]<typename T>(T*) {
    const auto* numbers = static_cast<const T*>(inputs_.constants[input]);
    integers.assign(numbers, numbers + count);
  };
  const bool is = WithInteger(Input(input).dtype, use);
  if (Input(input).dtype == Dtype::kBool) {
    use(static_cast<std::uint8_t*>(nullptr));
    return integers;
  }
  if (!is) return std::nullopt;
  return integers;
}

std::optional<std::int64_t> OnnxNode::KnownInteger(std::size_t input) const {
  const auto integers = KnownIntegers(input);
  return integers && integers->size() == 1 ? std::optional(integers->front()) : std::nullopt;
}

std::optional<std::vector<double>> OnnxNode::KnownNumbers(std::size_t input) const {
  if (!IsKnown(input)) return std::nullopt;
  const std::size_t count = Elements(Input(input).dimensions);
  std::vector<double> result;
  const bool is = WithNumber(Input(input).dtype, [&]<typename T>(T*) {
    const auto* numbers = static_cast<const T*>(inputs_.constants[input]);
    for (std::size_t i = 0; i < count; ++i) result.push_back(static_cast<double>(Load(numbers[i])));
  });
  if (!is) return std::nullopt;
  return result;
}

std::optional<Integers> OnnxNode::ListOrInput(std::string_view attribute, std::size_t input,
                                              Status& problem) const {
  if (Has(input)) {
    auto known = KnownIntegers(input);
    if (!known) {
      problem = NeedsValues("its " + std::string(attribute) + " are computed at run time");
    }
    return known;
  }
  if (!HasAttribute(attribute)) return std::nullopt;
  return List(attribute);
}

}  // namespace opledger
