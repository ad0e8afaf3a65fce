// Lists the facts that narrow the choice of a policy.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/operator_line.h"

#include <charconv>
#include <optional>

namespace opledger {
namespace {

constexpr std::size_t kMaxNames = 6;
constexpr std::size_t kLongestInference = 80;

const std::vector<FieldValue>* Field(const Operator& op, const std::string& name) {
  const auto found = op.fields.find(name);
  return found == op.fields.end() || found->second.empty() ? nullptr : &found->second;
}

std::optional<int> NumberOfInputs(const Operator& op) {
  const std::vector<FieldValue>* values = Field(op, "num_inputs");
  if (values == nullptr) return std::nullopt;
  const std::string& text = values->front().value;
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns " (lhs, rhs)", or an empty string.
std::string ArgumentNames(const Operator& op) {
  const std::vector<FieldValue>* arguments = Field(op, "arguments");
  if (arguments == nullptr) return {};
  std::string names;
  std::size_t count = 0;
  for (const FieldValue& argument : *arguments) {
    if (argument.key.empty()) continue;
    if (++count > kMaxNames) return " (" + names + ", ...)";
    names += (names.empty() ? "" : ", ") + argument.key;
  }
  return names.empty() ? std::string() : " (" + names + ')';
}

}  // namespace

std::string DescribeOperator(const Operator& op) {
  const std::optional<int> inputs = NumberOfInputs(op);
  const bool mutates = Field(op, "mutated_inputs") != nullptr;
  std::string text;
  if (inputs) {
    text = std::to_string(*inputs) + (*inputs == 1 ? " input" : " inputs") + ArgumentNames(op);
  } else if (const std::string names = ArgumentNames(op); !names.empty()) {
    text = "inputs" + names;
  }
  if (mutates) text += (text.empty() ? "" : ", ") + std::string("changes its inputs in place");
  if (const std::vector<FieldValue>* types = Field(op, "type_inference")) {
    std::string inference = types->front().value;
    if (inference.size() > kLongestInference)
      inference = inference.substr(0, kLongestInference) + "...";
    text += (text.empty() ? "" : ", ") + ("type inference " + inference);
  }
  return text;
}

}  // namespace opledger
