// The parts of a dialect file that speak of kernels.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/dialect_kernel_reader.h"

namespace opledger {
namespace {

constexpr int kMostArguments = 63;

int Index(JsonFields& fields, std::string_view key) {
  return static_cast<int>(fields.Integer(key, -1, -1, kMostArguments));
}

bool ReadDetails(const JsonDocument& document, const JsonValue* value,
                 std::map<std::string, int>& details, Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  JsonFields names(document, *value, "details", diagnostics);
  for (const JsonMember& member : value->members) {
    if (member.key == "$comment") continue;
    details[member.key] = static_cast<int>(names.Integer(member.key, 0, 0, kMostArguments));
  }
  return names.Finish();
}

bool ReadDevices(const JsonDocument& document, const JsonValue* value, KernelNames& kernels,
                 Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  JsonFields names(document, *value, "devices", diagnostics);
  for (const JsonMember& member : value->members) {
    if (member.key != "$comment") kernels.devices[member.key] = names.RequiredString(member.key);
  }
  return names.Finish();
}

}  // namespace

bool ReadKernelCall(const JsonDocument& document, const JsonValue& value, JsonFields& fields,
                    KernelCall& call, Diagnostics& diagnostics) {
  call.device = Index(fields, "device");
  call.on = fields.String("on");
  call.label = Index(fields, "label");
  call.variable = Index(fields, "variable");
  const JsonValue* dtypes = value.Find("dtypes");
  if (dtypes != nullptr && dtypes->kind == JsonValue::Kind::kString) {
    call.templates = fields.Choice("dtypes", {"template"}) == "template";
  } else if (dtypes != nullptr && dtypes->kind == JsonValue::Kind::kArray) {
    for (const JsonValue& item : fields.Take("dtypes")->items) {
      const bool index = item.kind == JsonValue::Kind::kInteger && item.integer >= 0 &&
                         item.integer <= kMostArguments;
      if (!index) fields.Error(item.span, "not the index of an argument");
      if (index) call.dtype_arguments.push_back(static_cast<int>(item.integer));
    }
  } else {
    call.dtypes = Index(fields, "dtypes");
  }
  return ReadDetails(document, fields.Take("details"), call.details, diagnostics);
}

bool ReadKernelNames(const JsonDocument& document, const JsonValue& value, KernelNames& kernels,
                     Diagnostics& diagnostics) {
  JsonFields fields(document, value, "kernels", diagnostics);
  bool ok = true;
  for (const JsonValue& item : fields.Objects("methods")) {
    JsonFields method(document, item, "kernel method", diagnostics);
    KernelMethod& read = kernels.methods.emplace_back();
    read.method = method.RequiredString("method");
    ok = ReadKernelCall(document, item, method, read.says, diagnostics) && ok;
    ok = method.Finish() && ok;
  }
  ok = ReadDevices(document, fields.Take("devices"), kernels, diagnostics) && ok;
  kernels.type_traits = fields.Strings("type_traits");
  kernels.field = fields.String("field");
  return fields.Finish() && ok;
}

}  // namespace opledger
