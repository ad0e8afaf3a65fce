// Reads the parts of a dialect file that describe kernels.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/dialect_kernel_reader.h"

namespace opledger {
namespace {

constexpr int kMostArguments = 63;

int Index(JsonFields& fields, std::string_view key) {
  return static_cast<int>(fields.Integer(key, -1, -1, kMostArguments));
}

// Reads {"NAME": VALUE}; `read` returns the value of a member.
template <typename Value, typename Read>
bool ReadMembers(const JsonDocument& document, const JsonValue* value, std::string_view what,
                 std::map<std::string, Value>& members, Diagnostics& diagnostics,
                 const Read& read) {
  if (value == nullptr) return true;
  JsonFields fields(document, *value, std::string(what), diagnostics);
  for (const JsonMember& member : value->members) {
    if (member.key != "$comment") members[member.key] = read(fields, member.key);
  }
  return fields.Finish();
}

std::string Text(JsonFields& fields, std::string_view key) { return fields.String(key); }
std::string RequiredText(JsonFields& fields, std::string_view key) {
  return fields.RequiredString(key);
}
std::vector<std::string> Texts(JsonFields& fields, std::string_view key) {
  return fields.Strings(key);
}
int Argument(JsonFields& fields, std::string_view key) {
  return static_cast<int>(fields.Integer(key, 0, 0, kMostArguments));
}

std::vector<std::string> StringOrStrings(JsonFields& fields, const JsonValue& object,
                                         std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value != nullptr && value->kind == JsonValue::Kind::kArray) return fields.Strings(key);
  return {fields.RequiredString(key)};
}

bool ReadElementTypes(const JsonDocument& document, const JsonValue* value, ElementTypes& types,
                      Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  JsonFields fields(document, *value, "element types", diagnostics);
  types.prefixes = StringOrStrings(fields, *value, "prefix");
  types.case_prefix = fields.String("case");
  types.switches = fields.String("switch");
  types.listed = fields.String("list");
  types.nothing = fields.Strings("nothing");
  types.results = fields.Strings("results");
  types.unrelated = fields.Strings("unrelated");
  types.functions = fields.Strings("functions");
  types.keeps = fields.Strings("keeps");
  types.checks = fields.Strings("checks");
  types.operand = Argument(fields, "operand");
  const auto read = [&](const char* key, auto& members, const auto& how) {
    return ReadMembers(document, fields.Take(key), key, members, diagnostics, how);
  };
  bool ok = read("sets", types.sets, Texts);
  ok = read("listed_first", types.listed_first, Argument) && ok;
  if (const JsonValue* same = fields.Take("same_type")) {
    JsonFields own(document, *same, "same_type", diagnostics);
    types.same_type_field = own.RequiredString("field");
    types.same_type = own.Strings("values");
    ok = own.Finish() && ok;
  }
  if (const JsonValue* classes = fields.Take("defaults")) {
    JsonFields own(document, *classes, "defaults", diagnostics);
    types.defaults = {own.RequiredString("base"), own.RequiredString("method"),
                      own.Strings("types")};
    ok = own.Finish() && ok;
  }
  ok = read("values", types.values, Texts) && ok;
  ok = read("predicates", types.predicates, Texts) && ok;
  ok = read("names", types.names, Text) && ok;
  ok = read("registers", types.registers, Text) && ok;
  ok = read("paths", types.paths, Text) && ok;
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
    if (!index) fields.Error(item.span, "argument indices must be integers from 0 to 63");
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
  call.function = Index(fields, "function");
  ReadIndices(fields, "key", call.key);
  if (const JsonValue* condition = fields.Take("condition")) {
    JsonFields own(document, *condition, "condition", diagnostics);
    call.condition = static_cast<int>(own.Integer("argument", 0, 0, kMostArguments));
    call.condition_device = own.String("device");
    call.condition_dtype = own.String("dtype");
    if (!own.Finish()) return false;
  }
  return ReadMembers(document, fields.Take("details"), "details", call.details, diagnostics,
                     Argument);
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
  ok = ReadMembers(document, fields.Take("devices"), "devices", kernels.devices, diagnostics,
                   RequiredText) &&
       ok;
  ok = ReadMembers(document, fields.Take("fields"), "fields", kernels.fields, diagnostics,
                   RequiredText) &&
       ok;
  kernels.type_traits = fields.Strings("type_traits");
  kernels.delegate = fields.String("delegate");
  kernels.field = fields.String("field");
  ok = ReadElementTypes(document, fields.Take("element_types"), kernels.element_types,
                        diagnostics) &&
       ok;
  return fields.Finish() && ok;
}

}  // namespace opledger
