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

// {"NAME": ["float32"]}
bool ReadSets(const JsonDocument& document, const JsonValue* value, std::string_view what,
              ElementTypes::Sets& sets, Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  JsonFields names(document, *value, std::string(what), diagnostics);
  for (const JsonMember& member : value->members) {
    if (member.key != "$comment") sets[member.key] = names.Strings(member.key);
  }
  return names.Finish();
}

bool ReadTexts(const JsonDocument& document, const JsonValue* value, std::string_view what,
               std::map<std::string, std::string>& texts, Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  JsonFields names(document, *value, std::string(what), diagnostics);
  for (const JsonMember& member : value->members) {
    if (member.key != "$comment") texts[member.key] = names.String(member.key);
  }
  return names.Finish();
}

bool ReadElementTypes(const JsonDocument& document, const JsonValue* value, ElementTypes& types,
                      Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  JsonFields fields(document, *value, "element types", diagnostics);
  types.prefix = fields.RequiredString("prefix");
  types.case_prefix = fields.String("case");
  types.switches = fields.String("switch");
  types.listed = fields.String("list");
  types.count = fields.String("count");
  types.unrelated = fields.Strings("unrelated");
  types.functions = fields.Strings("functions");
  types.converts = fields.Strings("converts");
  bool ok = ReadSets(document, fields.Take("sets"), "sets", types.sets, diagnostics);
  ok = ReadSets(document, fields.Take("values"), "values", types.values, diagnostics) && ok;
  ok = ReadSets(document, fields.Take("predicates"), "predicates", types.predicates, diagnostics) &&
       ok;
  ok = ReadTexts(document, fields.Take("names"), "names", types.names, diagnostics) && ok;
  ok = ReadTexts(document, fields.Take("registers"), "registers", types.registers, diagnostics) &&
       ok;
  ok = ReadTexts(document, fields.Take("paths"), "paths", types.paths, diagnostics) && ok;
  return fields.Finish() && ok;
}

}  // namespace

void ReadIndices(JsonFields& fields, std::string_view key, std::vector<int>& indices) {
  const JsonValue* value = fields.Take(key);
  if (value == nullptr) return;
  if (value->kind != JsonValue::Kind::kArray) {
    fields.Error(value->span, "\"" + std::string(key) + "\" must be an array of indices");
    return;
  }
  for (const JsonValue& item : value->items) {
    const bool index = item.kind == JsonValue::Kind::kInteger && item.integer >= 0 &&
                       item.integer <= kMostArguments;
    if (!index) fields.Error(item.span, "not the index of an argument");
    if (index) indices.push_back(static_cast<int>(item.integer));
  }
}

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
    ReadIndices(fields, "dtypes", call.dtype_arguments);
  } else {
    call.dtypes = Index(fields, "dtypes");
  }
  ReadIndices(fields, "key", call.key);
  if (const JsonValue* condition = fields.Take("condition")) {
    JsonFields own(document, *condition, "condition", diagnostics);
    call.condition = static_cast<int>(own.Integer("argument", 0, 0, kMostArguments));
    call.condition_device = own.String("device");
    call.condition_dtype = own.String("dtype");
    if (!own.Finish()) return false;
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
  for (const JsonValue& item : fields.Objects("type_lists")) {
    JsonFields macro(document, item, "type list", diagnostics);
    kernels.type_lists.push_back({macro.RequiredString("defines"), macro.RequiredString("use"),
                                  static_cast<int>(macro.Integer("dtypes", 0, 0, kMostArguments))});
    ok = macro.Finish() && ok;
  }
  ok = ReadDevices(document, fields.Take("devices"), kernels, diagnostics) && ok;
  kernels.type_traits = fields.Strings("type_traits");
  kernels.delegate = fields.String("delegate");
  kernels.field = fields.String("field");
  ok = ReadElementTypes(document, fields.Take("element_types"), kernels.element_types,
                        diagnostics) &&
       ok;
  return fields.Finish() && ok;
}

}  // namespace opledger
