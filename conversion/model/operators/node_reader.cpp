// ONNX attributes have types; MXNet attributes are text.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/operators/node_reader.h"

#include <charconv>

#include "conversion/model/onnx/attribute_values.h"

namespace opledger {
namespace {

// Parses "(1, 2)", "[1,2]" or "1". Ignores anything that is not a number.
template <typename Number>
std::vector<Number> NumbersIn(std::string_view text) {
  std::vector<Number> numbers;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  while (at < end) {
    Number number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc()) numbers.push_back(number);
    at = read.ec == std::errc() ? read.ptr : at + 1;
  }
  return numbers;
}

std::optional<Dtype> TypeOf(const Graph& graph, const std::vector<ValueId>& values, std::size_t i) {
  if (i >= values.size() || values[i] == kNone) return std::nullopt;
  const ValueType& type = graph.values[values[i]].type;
  return type.kind == ValueType::Kind::kTensor ? type.dtype : std::nullopt;
}

}  // namespace

std::int64_t NodeReader::Integer(std::string_view attribute, std::int64_t absent) const {
  const Attribute* found = node_.Find(attribute);
  if (found == nullptr) return absent;
  if (model_ != nullptr) return found->integer;
  if (found->text == "True" || found->text == "False") return found->text == "True" ? 1 : 0;
  const auto numbers = NumbersIn<std::int64_t>(found->text);
  return numbers.empty() ? absent : numbers.front();
}

double NodeReader::Number(std::string_view attribute, double absent) const {
  const Attribute* found = node_.Find(attribute);
  if (found == nullptr) return absent;
  if (model_ != nullptr) return static_cast<double>(found->number);
  const auto numbers = NumbersIn<double>(found->text);
  return numbers.empty() ? absent : numbers.front();
}

std::string_view NodeReader::Text(std::string_view attribute) const {
  const Attribute* found = node_.Find(attribute);
  return found == nullptr ? std::string_view() : found->text;
}

Integers NodeReader::List(std::string_view attribute) const {
  if (model_ != nullptr) return AttributeIntegers(*model_, id_, attribute);
  return NumbersIn<std::int64_t>(Text(attribute));
}

std::vector<float> NodeReader::Floats(std::string_view attribute) const {
  if (model_ != nullptr) return AttributeFloats(*model_, id_, attribute);
  return NumbersIn<float>(Text(attribute));
}

std::optional<Dtype> NodeReader::InputType(std::size_t i) const {
  return TypeOf(graph_, node_.inputs, i);
}

std::optional<Dtype> NodeReader::OutputType(std::size_t i) const {
  return TypeOf(graph_, node_.outputs, i);
}

bool NodeReader::IsIntegral(std::size_t i) const {
  const auto dtype = InputType(i);
  return dtype && IsInteger(*dtype);
}

bool NodeReader::AreSame(std::size_t i, std::size_t j) const {
  return HasInput(i) && HasInput(j) && node_.inputs[i] == node_.inputs[j];
}

}  // namespace opledger
