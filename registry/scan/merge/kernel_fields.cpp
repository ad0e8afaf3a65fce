// The place is where the value was added or, without one, that of the operator.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/kernel_fields.h"

#include <charconv>

namespace opledger::scan {
namespace {

// Of the detail "at": "src/add.cc:12".
Location PlaceOf(const FieldValue& value, const Operator& op) {
  auto at = value.details.find("at");
  if (at == value.details.end()) {
    return op.sites.empty() ? Location() : op.sites.front().location;
  }
  Location location;
  const std::string& text = at->second;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text};
  location.path = text.substr(0, colon);
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), location.line);
  return location;
}

}  // namespace

void AddKernelsOfField(const KernelNames& names, Operator& op) {
  if (names.field.empty()) return;
  auto field = op.fields.find(names.field);
  if (field == op.fields.end()) return;
  for (const FieldValue& value : field->second) {
    std::string_view keys = value.key;
    while (!keys.empty()) {
      const std::size_t comma = std::min(keys.find(','), keys.size());
      auto device = names.devices.find(std::string(keys.substr(0, comma)));
      if (device != names.devices.end()) {
        op.kernels.push_back({device->second, {}, {}, {}, PlaceOf(value, op), value.condition});
      }
      keys.remove_prefix(std::min(comma + 1, keys.size()));
      while (keys.starts_with(' ')) keys.remove_prefix(1);
    }
  }
}

}  // namespace opledger::scan
