// Attributes are strings written by dmlc-core's parameters: "True", "1e-05", "(2, 2)", "[2L]".
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/node.h"

#include <charconv>
#include <cstdlib>
#include <numeric>

#include "kernels/tensor/element.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// Largest value in a list: far above any dimension, and sums do not overflow.
constexpr std::int64_t kMaxInList = std::int64_t{1} << 53;

// Parses "2", "2L", "2.0"; returns nullopt for anything else.
std::optional<std::int64_t> IntegerOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > kMaxInList || value < -kMaxInList) return std::nullopt;
  return value;
}

}  // namespace

std::int64_t MxnetNode::Integer(std::string_view name, std::int64_t absent) const {
  if (!HasAttribute(name)) return absent;
  const std::string word = Word(name, "");
  if (word == "True" || word == "true") return 1;
  return IntegerOf(Trimmed(word)).value_or(absent);
}

double MxnetNode::Number(std::string_view name, double absent) const {
  if (!HasAttribute(name)) return absent;
  const std::string word = Word(name, "");
  if (word == "True" || word == "true") return 1;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return end == word.c_str() ? absent : value;
}

bool MxnetNode::Flag(std::string_view name, bool absent) const {
  if (!HasAttribute(name)) return absent;
  const std::string word = Word(name, "");
  return word == "True" || word == "true" || word == "1";
}

std::optional<MxnetNode::OptionalIntegers> MxnetNode::OptionalList(std::string_view name) const {
  if (!HasAttribute(name)) return std::nullopt;
  const std::string word = Word(name, "");
  std::string_view text = Trimmed(word);
  if (!text.empty() && (text.front() == '(' || text.front() == '[')) text.remove_prefix(1);
  if (!text.empty() && (text.back() == ')' || text.back() == ']')) text.remove_suffix(1);
  OptionalIntegers list;
  while (!Trimmed(text).empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    list.push_back(IntegerOf(Trimmed(text.substr(0, comma))));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

Integers MxnetNode::List(std::string_view name, const Integers& absent) const {
  const auto list = OptionalList(name);
  if (!list) return absent;
  Integers numbers;
  for (const auto& each : *list) numbers.push_back(each.value_or(0));
  return numbers;
}

std::optional<Dtype> MxnetNode::Type(std::string_view name) const {
  return HasAttribute(name) ? ParseDtype(Word(name, "")) : std::nullopt;
}

std::optional<std::int64_t> MxnetNode::Axis(std::string_view name, std::int64_t absent,
                                            std::size_t input) const {
  return AxisOf(Integer(name, absent), Rank(input));
}

LoweredNode BindMxnetReshape(const MxnetNode& node, Dimensions shape) {
  LoweredNode bound = BindFirst(node, "Reshape");
  bound.parameters.Set("shape", std::move(shape));
  return bound;
}

LoweredNode BindMxnetIdentity(const MxnetNode& node) { return BindFirst(node, "Identity"); }

std::int64_t ProductOf(const Dimensions& shape, std::size_t begin, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                         std::multiplies<>());
}

}  // namespace opledger
