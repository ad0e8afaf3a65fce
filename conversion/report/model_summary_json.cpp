// A model's summary for programs: schemas/model.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/model_summary.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

std::int64_t Number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// An array of {"name": ..., KEY: ...}.
template <typename Pairs, typename Write>
void WriteNamed(const char* key, const Pairs& pairs, JsonWriter& json, const Write& write) {
  json.Key(key);
  json.BeginArray();
  for (const auto& [name, value] : pairs) {
    json.CompactNext();
    json.BeginObject();
    json.Field("name", name);
    write(value);
    json.EndObject();
  }
  json.EndArray();
}

void WriteOperator(const OperatorSummary& op, JsonWriter& json) {
  json.Field("nodes", Number(op.nodes));
  json.Key("types");
  json.BeginObject();
  for (const auto& [type, nodes] : op.types) json.Field(type, Number(nodes));
  json.EndObject();
  json.Key("policy");
  if (op.policy.empty()) {
    json.Null();
  } else {
    json.String(op.policy);
    json.Field("line", op.place.line);
  }
  if (!op.note.empty()) json.Field("note", op.note);
}

}  // namespace

std::string RenderSummaryJson(const ModelSummary& summary) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-model/1");
  json.Field("model", summary.model);
  json.Field("format", summary.format);
  json.Field("file_bytes", Number(summary.file_bytes));
  json.Field("nodes", Number(summary.nodes));
  json.Field("list", summary.list);
  json.Field("target_dtype", summary.target);
  WriteNamed("opsets", summary.opsets, json,
             [&](std::int64_t version) { json.Field("version", version); });
  const auto type = [&](const std::string& text_of) { json.Field("type", text_of); };
  WriteNamed("inputs", summary.inputs, json, type);
  WriteNamed("outputs", summary.outputs, json, type);
  WriteNamed("operators", summary.operators, json,
             [&](const OperatorSummary& op) { WriteOperator(op, json); });
  WriteNamed("casts", summary.casts, json,
             [&](std::size_t nodes) { json.Field("nodes", Number(nodes)); });
  WriteNamed("parameters", summary.parameters, json, [&](const ParameterSummary& parameters) {
    json.Field("tensors", Number(parameters.tensors));
    json.Field("numbers", Number(parameters.numbers));
    json.Field("bytes", Number(parameters.bytes));
  });
  WriteNamed("external", summary.external, json,
             [&](std::uint64_t bytes) { json.Field("bytes", Number(bytes)); });
  WriteNamed("scopes", summary.scopes, json,
             [&](std::size_t nodes) { json.Field("nodes", Number(nodes)); });
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
