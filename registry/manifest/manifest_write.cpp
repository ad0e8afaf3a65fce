// Writing operators.json: canonical, one operator a line, so that versions of it can be compared.
//   {"name":"abs","aliases":[],"sites":[{"path":"src/abs.cc","line":3,...}]}
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_write.h"
#include "registry/manifest/kernel_json.h"
#include "registry/manifest/manifest.h"

namespace opledger {
namespace {

void WritePlace(JsonWriter& json, const Location& location) {
  json.Field("line", location.line);
  json.Field("column", location.column);
  json.Field("end_line", location.end_line);
  json.Field("end_column", location.end_column);
}

void WriteLocation(JsonWriter& json, const Location& location) {
  json.Field("path", location.path);
  WritePlace(json, location);
}

void WriteConditionUnlessAlways(JsonWriter& json, const Condition& condition) {
  if (!condition.IsAlways()) json.Field("condition", condition.text());
}

void WriteSite(JsonWriter& json, const Site& site) {
  json.BeginObject();
  WriteLocation(json, site.location);
  json.Field("condition", site.condition.text());
  json.Field("macro", site.macro);
  json.Key("call");
  json.BeginObject();
  if (site.call.path != site.location.path) json.Field("path", site.call.path);
  WritePlace(json, site.call);
  json.EndObject();
  json.EndObject();
}

// Names first, for readers who want no more; places where they are known.
void WriteAliases(JsonWriter& json, const std::vector<Alias>& aliases) {
  json.Key("aliases");
  json.BeginArray();
  const Alias* previous = nullptr;
  bool has_sites = false;
  for (const Alias& alias : aliases) {
    if (previous == nullptr || previous->name != alias.name) json.String(alias.name);
    previous = &alias;
    has_sites |= !alias.location.path.empty() || !alias.condition.IsAlways();
  }
  json.EndArray();
  if (!has_sites) return;
  json.Key("alias_sites");
  json.BeginArray();
  for (const Alias& alias : aliases) {
    if (alias.location.path.empty() && alias.condition.IsAlways()) continue;
    json.BeginObject();
    json.Field("alias", alias.name);
    WriteLocation(json, alias.location);
    WriteConditionUnlessAlways(json, alias.condition);
    json.EndObject();
  }
  json.EndArray();
}

void WriteDetails(JsonWriter& json, const Details& details) {
  if (details.empty()) return;
  json.Key("details");
  json.BeginObject();
  for (const auto& [name, text] : details) json.Field(name, text);
  json.EndObject();
}

void WriteFields(JsonWriter& json, const Fields& fields) {
  if (fields.empty()) return;
  json.Key("fields");
  json.BeginObject();
  for (const auto& [name, values] : fields) {
    json.Key(name);
    json.BeginArray();
    for (const FieldValue& value : values) {
      json.BeginObject();
      if (!value.key.empty()) json.Field("key", value.key);
      json.Field("value", value.value);
      WriteDetails(json, value.details);
      WriteConditionUnlessAlways(json, value.condition);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

void WriteKernels(JsonWriter& json, const std::vector<Kernel>& kernels) {
  if (kernels.empty()) return;
  json.Key("kernels");
  json.BeginArray();
  for (const Kernel& kernel : kernels) {
    json.BeginObject();
    WriteKernel(json, kernel);
    WriteLocation(json, kernel.location);
    WriteConditionUnlessAlways(json, kernel.condition);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSites(JsonWriter& json, const std::vector<Site>& sites) {
  json.Key("sites");
  json.BeginArray();
  for (const Site& site : sites) WriteSite(json, site);
  json.EndArray();
}

void WriteEarlier(JsonWriter& json, const std::vector<OperatorVersion>& versions) {
  if (versions.empty()) return;
  json.Key("earlier");
  json.BeginArray();
  for (const OperatorVersion& version : versions) {
    json.BeginObject();
    json.Field("since", version.since);
    WriteSites(json, version.sites);
    WriteFields(json, version.fields);
    json.EndObject();
  }
  json.EndArray();
}

void WriteOperator(JsonWriter& json, const Operator& op) {
  json.CompactNext();
  json.BeginObject();
  json.Field("name", op.name);
  if (!op.exempt.empty()) json.Field("exempt", op.exempt);
  WriteAliases(json, op.aliases);
  if (op.since != 0) json.Field("since", op.since);
  WriteSites(json, op.sites);
  WriteFields(json, op.fields);
  WriteKernels(json, op.kernels);
  WriteEarlier(json, op.earlier);
  json.EndObject();
}

void WriteConfigurations(JsonWriter& json, const Manifest& manifest) {
  json.Field("configuration", manifest.configuration);
  json.Key("configurations");
  json.BeginObject();
  for (const auto& [name, defines] : manifest.configurations) {
    json.Key(name);
    json.CompactNext();
    json.BeginObject();
    for (const auto& [macro, text] : defines) json.Field(macro, text);
    json.EndObject();
  }
  json.EndObject();
  json.Field("default_configuration", manifest.default_configuration);
  const Relations& relations = manifest.relations;
  if (relations.version.empty() && relations.gradient.empty()) return;
  json.Key("relations");
  json.CompactNext();
  json.BeginObject();
  if (!relations.version.empty()) json.Field("version", relations.version);
  if (!relations.gradient.empty()) json.Field("gradient", relations.gradient);
  json.EndObject();
}

void WriteDynamic(JsonWriter& json, const std::vector<DynamicRegistration>& registrations) {
  json.Key("dynamic");
  json.BeginArray();
  for (const DynamicRegistration& registration : registrations) {
    json.CompactNext();
    json.BeginObject();
    WriteLocation(json, registration.location);
    json.Field("expression", registration.expression);
    json.Field("reason", registration.reason);
    json.EndObject();
  }
  json.EndArray();
}

void WriteIncomplete(JsonWriter& json, const std::vector<Incomplete>& records) {
  json.Key("incomplete");
  json.BeginArray();
  for (const Incomplete& record : records) {
    json.CompactNext();
    json.BeginObject();
    WriteLocation(json, record.location);
    json.Field("stage", record.stage);
    json.Field("detail", record.detail);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string WriteManifest(const Manifest& manifest) {
  std::string text;
  text.reserve(600 * (manifest.operators.size() + 1));
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-operators/1");
  json.Field("dialect", manifest.dialect);
  WriteConfigurations(json, manifest);
  json.Field("files", manifest.files);
  json.Key("operators");
  json.BeginArray();
  for (const Operator& op : manifest.operators) WriteOperator(json, op);
  json.EndArray();
  WriteDynamic(json, manifest.dynamic);
  WriteIncomplete(json, manifest.incomplete);
  json.EndObject();
  text += '\n';
  return text;
}

}  // namespace opledger
