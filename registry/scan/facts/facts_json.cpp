// Writing: keys in a fixed order, what is empty or as usual left out, a path only where it is not
// the record's own.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/facts_json.h"

#include "registry/json/json_write.h"
#include "registry/manifest/kernel_json.h"

namespace opledger::scan {
namespace {

class RecordWriter {
 public:
  explicit RecordWriter(const FileFacts& file) : file_(file), json_(text_) {}

  std::string Write() {
    json_.BeginObject();
    json_.Field("path", file_.path);
    if (file_.content != Digest()) json_.Field("content", file_.content.Hex());
    if (file_.part != Digest()) json_.Field("part", file_.part.Hex());
    if (file_.reach != Digest()) json_.Field("reach", file_.reach.Hex());
    WriteFlag("awaits", file_.awaits);
    WriteFlag("full_headers", file_.facts.full_headers);
    WriteFlag("unlisted", file_.facts.uncacheable);
    WriteAll("registrations", file_.facts.registrations);
    WriteAll("dynamic", file_.facts.dynamic);
    WriteAll("incomplete", file_.facts.incomplete);
    WriteAll("attribute_sets", file_.attribute_sets);
    WriteAll("definitions", file_.definitions);
    json_.EndObject();
    return std::move(text_);
  }

 private:
  template <typename T>
  void WriteAll(std::string_view key, const std::vector<T>& values) {
    if (values.empty()) return;
    json_.Key(key);
    json_.BeginArray();
    for (const T& value : values) {
      json_.BeginObject();
      WriteMembers(value);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteStrings(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    json_.Key(key);
    json_.BeginArray();
    for (const std::string& value : values) json_.String(value);
    json_.EndArray();
  }

  void WriteFlag(std::string_view key, bool value) {
    if (!value) return;
    json_.Key(key);
    json_.Boolean(true);
  }

  void WriteText(std::string_view key, const std::string& value) {
    if (!value.empty()) json_.Field(key, value);
  }

  void WriteNumber(std::string_view key, int value) {
    if (value != 0) json_.Field(key, value);
  }

  void WriteLocation(const Location& location) {
    if (location.path != file_.path) json_.Field("path", location.path);
    WriteNumber("line", location.line);
    WriteNumber("column", location.column);
    WriteNumber("end_line", location.end_line);
    WriteNumber("end_column", location.end_column);
  }

  void WriteCondition(const Condition& condition) { WriteText("condition", condition.text()); }

  void WriteMembers(const Registration& registration) {
    json_.Field("name", registration.name);
    WriteNumber("version", registration.version);
    WriteFlag("adds", registration.adds);
    WriteLocation(registration.site.location);
    WriteCondition(registration.site.condition);
    WriteText("macro", registration.site.macro);
    if (registration.site.call != registration.site.location) {
      json_.Key("call");
      json_.BeginObject();
      WriteLocation(registration.site.call);
      json_.EndObject();
    }
    WriteAll("aliases", registration.aliases);
    WriteAll("fields", registration.fields);
    WriteAll("calls", registration.calls);
    WriteAll("kernels", registration.kernels);
  }

  void WriteMembers(const Alias& alias) {
    json_.Field("alias", alias.name);
    WriteLocation(alias.location);
    WriteCondition(alias.condition);
  }

  void WriteMembers(const FieldFact& fact) {
    json_.Field("field", fact.field);
    WriteNumber("order", fact.order);
    WriteText("key", fact.value.key);
    WriteText("value", fact.value.value);
    WriteCondition(fact.value.condition);
    if (fact.value.details.empty()) return;
    json_.Key("details");
    json_.BeginObject();
    for (const auto& [name, text] : fact.value.details) json_.Field(name, text);
    json_.EndObject();
  }

  void WriteMembers(const MethodCall& call) {
    json_.Field("method", call.method);
    WriteStrings("arguments", call.arguments);
    WriteCondition(call.condition);
  }

  void WriteMembers(const Kernel& kernel) {
    WriteKernel(json_, kernel);
    WriteLocation(kernel.location);
    WriteCondition(kernel.condition);
  }

  void WriteMembers(const Dynamic& dynamic) {
    WriteLocation(dynamic.location);
    json_.Field("expression", dynamic.expression);
    if (!dynamic.why.empty()) json_.Field("why", dynamic.why);
  }

  void WriteMembers(const Incomplete& incomplete) {
    WriteLocation(incomplete.location);
    json_.Field("stage", incomplete.stage);
    json_.Field("detail", incomplete.detail);
  }

  void WriteMembers(const AttributeSet& set) {
    json_.Field("set", set.name);
    WriteAll("attributes", set.attributes);
  }

  void WriteMembers(const AttributeSet::Attribute& attribute) {
    json_.Field("attribute", attribute.name);
    WriteStrings("values", attribute.values);
  }

  void WriteMembers(const Definition& definition) {
    json_.Field("name", definition.name);
    WriteFlag("function", definition.is_function);
    WriteFlag("body", definition.has_body);
    WriteAll("parameters", definition.parameters);
    WriteText("text", definition.text);
  }

  void WriteMembers(const Definition::Parameter& parameter) {
    json_.Field("name", parameter.name);
    WriteText("value", parameter.value);
  }

  const FileFacts& file_;
  std::string text_;
  JsonWriter json_;
};

}  // namespace

bool FileFacts::IsEmpty() const {
  return !awaits && facts.registrations.empty() && facts.dynamic.empty() &&
         facts.incomplete.empty() && attribute_sets.empty() && definitions.empty();
}

std::string WriteFileFacts(const FileFacts& file) { return RecordWriter(file).Write(); }

}  // namespace opledger::scan
