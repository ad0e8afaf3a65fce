// Reading records of facts files, strictly: what this version does not know, it refuses.
// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <unordered_map>

#include "registry/json/json_fields.h"
#include "registry/manifest/kernel_json.h"
#include "registry/scan/facts/facts_json.h"

namespace opledger::scan {
namespace {

class RecordReader {
 public:
  RecordReader(const JsonDocument& line, Diagnostics& diagnostics)
      : line_(line), diagnostics_(diagnostics) {}

  std::optional<FileFacts> Read() {
    JsonFields fields(line_, line_.root, "record of facts", diagnostics_);
    file_.path = fields.RequiredString("path");
    file_.content = ReadDigest(fields, "content");
    file_.part = ReadDigest(fields, "part");
    file_.reach = ReadDigest(fields, "reach");
    file_.awaits = fields.Boolean("awaits", false);
    file_.facts.full_headers = fields.Boolean("full_headers", false);
    file_.facts.uncacheable = fields.Boolean("unlisted", false);
    ReadAll(fields, "registrations", "registration", file_.facts.registrations);
    ReadAll(fields, "dynamic", "registration", file_.facts.dynamic);
    ReadAll(fields, "incomplete", "incomplete record", file_.facts.incomplete);
    ReadAll(fields, "attribute_sets", "attribute set", file_.attribute_sets);
    ReadAll(fields, "definitions", "definition", file_.definitions);
    Finish(fields);
    if (!ok_) return std::nullopt;
    return std::move(file_);
  }

 private:
  void Finish(JsonFields& fields) { ok_ = fields.Finish() && ok_; }

  template <typename T>
  void ReadAll(JsonFields& fields, std::string_view key, std::string_view what,
               std::vector<T>& values) {
    for (const JsonValue& item : fields.Objects(key)) {
      JsonFields members(line_, item, what, diagnostics_);
      ReadMembers(members, values.emplace_back());
      Finish(members);
    }
  }

  static int ReadNumber(JsonFields& fields, std::string_view key) {
    return static_cast<int>(fields.Integer(key, 0, 0, INT_MAX));
  }

  Digest ReadDigest(JsonFields& fields, std::string_view key) {
    const std::string hex = fields.String(key);
    if (hex.empty()) return {};
    const std::optional<Digest> digest = Digest::FromHex(hex);
    ok_ = ok_ && digest;
    return digest.value_or(Digest());
  }

  void ReadLocation(JsonFields& fields, Location& location) const {
    location.path = fields.String("path", file_.path);
    location.line = ReadNumber(fields, "line");
    location.column = ReadNumber(fields, "column");
    location.end_line = ReadNumber(fields, "end_line");
    location.end_column = ReadNumber(fields, "end_column");
  }

  // A tree has few conditions and names each of them often: parsed once.
  static Condition ReadCondition(JsonFields& fields) {
    static std::unordered_map<std::string, Condition> known;
    const std::string text = fields.String("condition");
    if (text.empty()) return {};
    const auto [found, fresh] = known.try_emplace(text);
    if (fresh) found->second = Condition::FromExpression(text);
    return found->second;
  }

  void ReadMembers(JsonFields& fields, Registration& registration) {
    registration.name = fields.String("name");
    registration.version = ReadNumber(fields, "version");
    registration.adds = fields.Boolean("adds", false);
    ReadLocation(fields, registration.site.location);
    registration.site.condition = ReadCondition(fields);
    registration.site.macro = fields.String("macro");
    registration.site.call = registration.site.location;
    if (const JsonValue* call = fields.Take("call"); call != nullptr) {
      JsonFields place(line_, *call, "call", diagnostics_);
      ReadLocation(place, registration.site.call);
      Finish(place);
    }
    ReadAll(fields, "aliases", "alias", registration.aliases);
    ReadAll(fields, "fields", "field", registration.fields);
    ReadAll(fields, "calls", "call", registration.calls);
    ReadAll(fields, "kernels", "kernel", registration.kernels);
  }

  void ReadMembers(JsonFields& fields, Alias& alias) {
    alias.name = fields.String("alias");
    ReadLocation(fields, alias.location);
    alias.condition = ReadCondition(fields);
  }

  void ReadMembers(JsonFields& fields, FieldFact& fact) {
    fact.field = fields.String("field");
    fact.order = ReadNumber(fields, "order");
    fact.value.key = fields.String("key");
    fact.value.value = fields.String("value");
    fact.value.condition = ReadCondition(fields);
    const JsonValue* details = fields.Take("details");
    if (details == nullptr) return;
    JsonFields names(line_, *details, "table of details", diagnostics_);
    for (const JsonMember& member : details->members) {
      fact.value.details[member.key] = names.String(member.key);
    }
    Finish(names);
  }

  void ReadMembers(JsonFields& fields, MethodCall& call) {
    call.method = fields.String("method");
    call.arguments = fields.Strings("arguments");
    call.condition = ReadCondition(fields);
  }

  void ReadMembers(JsonFields& fields, Kernel& kernel) {
    ok_ = ReadKernel(line_, fields, kernel, diagnostics_) && ok_;
    ReadLocation(fields, kernel.location);
    kernel.condition = ReadCondition(fields);
  }

  void ReadMembers(JsonFields& fields, Dynamic& dynamic) {
    ReadLocation(fields, dynamic.location);
    dynamic.expression = fields.String("expression");
    dynamic.why = fields.String("why");
  }

  void ReadMembers(JsonFields& fields, Incomplete& incomplete) {
    ReadLocation(fields, incomplete.location);
    incomplete.stage = fields.String("stage");
    incomplete.detail = fields.String("detail");
  }

  void ReadMembers(JsonFields& fields, AttributeSet& set) {
    set.name = fields.String("set");
    ReadAll(fields, "attributes", "attribute", set.attributes);
  }

  void ReadMembers(JsonFields& fields, AttributeSet::Attribute& attribute) {
    attribute.name = fields.String("attribute");
    attribute.values = fields.Strings("values");
  }

  void ReadMembers(JsonFields& fields, Definition& definition) {
    definition.name = fields.String("name");
    definition.is_function = fields.Boolean("function", false);
    definition.has_body = fields.Boolean("body", false);
    ReadAll(fields, "parameters", "parameter", definition.parameters);
    definition.text = fields.String("text");
  }

  void ReadMembers(JsonFields& fields, Definition::Parameter& parameter) {
    parameter.name = fields.String("name");
    parameter.value = fields.String("value");
  }

  const JsonDocument& line_;
  Diagnostics& diagnostics_;
  FileFacts file_;
  bool ok_ = true;
};

}  // namespace

std::optional<FileFacts> ReadFileFacts(const JsonDocument& line, Diagnostics& diagnostics) {
  return RecordReader(line, diagnostics).Read();
}

}  // namespace opledger::scan
