// Attributes out of the fields "parameters" and "attribute_values" of a manifest's operator, and
// out of the detail "parameters" of its kernels.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/operator_attributes.h"

#include <algorithm>

namespace opledger {
namespace {

std::string Trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\"");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\"") - begin + 1);
}

void AddValues(const std::string& text, std::set<std::string, std::less<>>& values) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string value = Trim(text.substr(begin, end - begin));
    if (!value.empty()) values.insert(std::move(value));
    begin = end + 1;
  }
}

constexpr std::string_view kOfKernels = "parameters";

// "axis; mode: constant, edge", of a kernel.
void AddParameters(const std::string& text, OperatorAttributes& attributes,
                   std::set<std::string>& open) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string said = text.substr(begin, end - begin);
    const std::size_t colon = std::min(said.find(':'), said.size());
    const std::string name = Trim(said.substr(0, colon));
    const std::string values = colon < said.size() ? said.substr(colon + 1) : "";
    if (!name.empty()) AddValues(values, attributes[name]);
    if (!name.empty() && Trim(values).empty()) open.insert(name);
    begin = end + 1;
  }
}

bool SaysParameters(const Kernel& kernel) { return kernel.details.contains(kOfKernels); }

}  // namespace

bool KernelsSayParameters(const Manifest& manifest) {
  return std::any_of(manifest.operators.begin(), manifest.operators.end(), [](const Operator& op) {
    return std::any_of(op.kernels.begin(), op.kernels.end(), SaysParameters);
  });
}

OperatorAttributes ReadOperatorAttributes(const Operator& op) {
  OperatorAttributes attributes;
  std::set<std::string> open;  // some record leaves the values open
  for (const Kernel& kernel : op.kernels) {
    const auto said = kernel.details.find(kOfKernels);
    if (said != kernel.details.end()) AddParameters(said->second, attributes, open);
  }
  for (const char* field : {"parameters", "attribute_values"}) {
    const auto records = op.fields.find(field);
    if (records == op.fields.end()) continue;
    for (const FieldValue& record : records->second) {
      // Without a key it is C++ text, such as the name of a parameter struct.
      if (record.key.empty()) continue;
      if (Trim(record.value).empty()) open.insert(record.key);
      AddValues(record.value, attributes[record.key]);
    }
  }
  for (const std::string& name : open) attributes[name].clear();
  return attributes;
}

}  // namespace opledger
