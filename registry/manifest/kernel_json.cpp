// Types that were understood are an array, the text of others a string.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/kernel_json.h"

#include <algorithm>

namespace opledger {

void WriteKernel(JsonWriter& json, const Kernel& kernel) {
  json.Field("device", kernel.device);
  if (!kernel.label.empty()) json.Field("label", kernel.label);
  if (!kernel.types.empty()) {
    json.Key("types");
    json.BeginObject();
    for (const auto& [variable, types] : kernel.types) {
      if (!types.unread.empty()) {
        json.Field(variable, types.unread);
        continue;
      }
      json.Key(variable);
      json.BeginArray();
      for (const std::string& dtype : types.dtypes) json.String(dtype);
      json.EndArray();
    }
    json.EndObject();
  }
  if (kernel.details.empty()) return;
  json.Key("details");
  json.BeginObject();
  for (const auto& [name, text] : kernel.details) json.Field(name, text);
  json.EndObject();
}

bool ReadKernel(const JsonDocument& document, JsonFields& fields, Kernel& kernel,
                Diagnostics& diagnostics) {
  bool ok = true;
  kernel.device = fields.RequiredString("device");
  kernel.label = fields.String("label");
  if (const JsonValue* types = fields.Take("types")) {
    JsonFields variables(document, *types, "types", diagnostics);
    for (const JsonMember& member : types->members) {
      KernelTypes& of = kernel.types[member.key];
      if (member.value.kind == JsonValue::Kind::kString) {
        of.unread = variables.RequiredString(member.key);
      } else {
        of.dtypes = variables.Strings(member.key);
        std::sort(of.dtypes.begin(), of.dtypes.end());
      }
    }
    ok = variables.Finish();
  }
  if (const JsonValue* details = fields.Take("details")) {
    JsonFields texts(document, *details, "details", diagnostics);
    for (const JsonMember& member : details->members) {
      kernel.details[member.key] = texts.String(member.key);
    }
    ok = texts.Finish() && ok;
  }
  return ok;
}

}  // namespace opledger
