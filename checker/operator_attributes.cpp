// Attributes out of the fields "parameters" and "attribute_values" of a manifest's operator.
// SPDX-License-Identifier: Apache-2.0
#include "checker/operator_attributes.h"

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

}  // namespace

OperatorAttributes ReadOperatorAttributes(const Operator& op) {
  OperatorAttributes attributes;
  std::set<std::string> open;  // some record leaves the values open
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
