// Reads the Python part of a dialect; see python_dialect.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/python_dialect.h"

#include "registry/json/json_fields.h"

namespace opledger {
namespace {

// Reads 0, "op_name", or [0, "op_name"].
bool ReadArgument(const JsonDocument& document, const JsonValue* value, PythonArgument& argument,
                  Diagnostics& diagnostics) {
  if (value == nullptr) return true;
  const auto read = [&](const JsonValue& part) {
    if (part.kind == JsonValue::Kind::kString) {
      argument.keyword = part.string;
      return true;
    }
    if (part.kind != JsonValue::Kind::kInteger || part.integer < 0 || part.integer > 100) {
      return false;
    }
    argument.index = static_cast<int>(part.integer);
    return true;
  };
  bool ok = value->kind != JsonValue::Kind::kArray && read(*value);
  if (value->kind == JsonValue::Kind::kArray) {
    ok = true;
    for (const JsonValue& part : value->items) ok = read(part) && ok;
  }
  if (!ok) {
    diagnostics.Error(document.At(value->span), "an argument is its index, its keyword, or both",
                      "write 0, \"name\" or [0, \"name\"]");
  }
  return ok;
}

// Reads an optional object of strings.
bool ReadTexts(const JsonDocument& document, JsonFields& fields, const char* key,
               std::map<std::string, std::string>& texts, Diagnostics& diagnostics) {
  const JsonValue* const value = fields.Take(key);
  if (value == nullptr) return true;
  JsonFields each(document, *value, key, diagnostics);
  for (const JsonMember& member : value->members) texts[member.key] = each.String(member.key);
  return each.Finish();
}

bool ReadSink(const JsonDocument& document, const JsonValue& item, const char* function,
              PythonSink& sink, Diagnostics& diagnostics) {
  JsonFields fields(document, item, function, diagnostics);
  sink.function = fields.RequiredString(function);
  bool ok = ReadArgument(document, fields.Take("name"), sink.name, diagnostics);
  ok = ReadArgument(document, fields.Take("schema"), sink.schema, diagnostics) && ok;
  ok = ReadArgument(document, fields.Take("key"), sink.key, diagnostics) && ok;
  ok = ReadArgument(document, fields.Take("dtype"), sink.dtype, diagnostics) && ok;
  ok = ReadArgument(document, fields.Take("devices"), sink.devices, diagnostics) && ok;
  ok = ReadTexts(document, fields, "returns", sink.returns, diagnostics) && ok;
  const std::string form = fields.Choice("form", {"qualified", "schema"});
  if (!form.empty()) sink.form = form;
  sink.signature = fields.Boolean("signature", false);
  sink.adds = fields.String("adds");
  return fields.Finish() && ok;
}

bool ReadReceiver(const JsonDocument& document, const JsonValue& item, PythonReceiver& receiver,
                  Diagnostics& diagnostics) {
  JsonFields fields(document, item, "receiver", diagnostics);
  receiver.function = fields.RequiredString("class");
  receiver.is_operator = fields.Boolean("operator", false);
  bool ok = ReadArgument(document, fields.Take("name"), receiver.name, diagnostics);
  ok = ReadArgument(document, fields.Take("key"), receiver.key, diagnostics) && ok;
  ok = ReadTexts(document, fields, "objects", receiver.objects, diagnostics) && ok;
  for (const JsonValue& method : fields.Objects("methods")) {
    ok = ReadSink(document, method, "method", receiver.methods.emplace_back(), diagnostics) && ok;
  }
  return fields.Finish() && ok;
}

}  // namespace

bool ReadPythonDialect(const JsonDocument& document, const JsonValue& value, PythonDialect& python,
                       Diagnostics& diagnostics) {
  JsonFields fields(document, value, "python", diagnostics);
  bool ok = true;
  for (const JsonValue& item : fields.Objects("sinks")) {
    ok = ReadSink(document, item, "function", python.sinks.emplace_back(), diagnostics) && ok;
  }
  for (const JsonValue& item : fields.Objects("receivers")) {
    ok = ReadReceiver(document, item, python.receivers.emplace_back(), diagnostics) && ok;
  }
  python.exclude = fields.Strings("exclude");
  python.suspicious = fields.Strings("suspicious");
  return fields.Finish() && ok;
}

}  // namespace opledger
