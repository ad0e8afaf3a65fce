// json: all data, for other programs. Schema: schemas/docs.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "checker/docs/docs.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WritePlace(const Location& location, const std::string& condition, const SourceLink& link,
                JsonWriter& json) {
  json.BeginCompactObject();
  json.Field("path", location.path);
  json.Field("line", location.line);
  if (const std::string url = link.Url(location); !url.empty()) json.Field("url", url);
  if (!condition.empty()) json.Field("condition", condition);
  json.EndObject();
}

void WriteList(const ListDocs& list, JsonWriter& json) {
  json.BeginObject();
  json.Field("list", list.index->label);
  json.Field("path", list.index->list->path);
  json.Field("target_dtype", DtypeName(list.index->list->target_dtype));
  if (!list.index->list->device.empty()) json.Field("device", list.index->list->device);
  json.Field("configuration", list.index->configuration);
  json.BeginCompactObject("operators");
  for (const Policy policy : kPolicies) {
    const auto found = list.by_policy.find(policy);
    json.Field(PolicyName(policy), found == list.by_policy.end() ? 0 : found->second);
  }
  json.Field("by_default", list.coverage.by_default);
  json.Field("unclassified", list.coverage.open);
  json.Field("exempt", list.exempt);
  json.EndObject();
  json.Records("stale", list.stale, [&](const ListEntry* entry) {
    json.Field("operator", entry->op);
    json.Field("policy", PolicyName(entry->policy));
  });
  json.EndObject();
}

void WriteClauses(const ListEntry& entry, JsonWriter& json) {
  json.Array("conditions", entry.clauses, [&](const Clause& clause) {
    json.BeginObject();
    if (clause.input.empty()) {
      json.Field("attribute", clause.attribute);
    } else {
      json.Field("input", clause.input);
      json.Field("property", clause.property);
    }
    if (clause.is_range) {
      json.Array("range", std::array{clause.minimum, clause.maximum});
    } else {
      json.CompactArray("values", clause.values);
    }
    json.Field("then", PolicyName(clause.then));
    json.EndObject();
  });
  json.Field("otherwise", PolicyName(entry.otherwise));
}

void WriteStanding(const OperatorInList& status, const std::string& label, JsonWriter& json) {
  json.BeginCompactObject();
  json.Field("list", label);
  json.Field("policy", StatusWord(status));
  if (const ListEntry* entry = status.entry) {
    if (!entry->reason.empty()) json.Field("reason", entry->reason);
    if (!entry->note.empty()) json.Field("note", entry->note);
    if (!entry->evidence.empty()) json.Field("evidence", entry->evidence);
    if (entry->accumulate) json.Field("accumulate", DtypeName(*entry->accumulate));
    if (entry->output) json.Field("output", DtypeName(*entry->output));
    if (!entry->keep_fp32_inputs.empty()) {
      json.CompactArray("keep_fp32_inputs", entry->keep_fp32_inputs);
    }
    if (!entry->clauses.empty()) WriteClauses(*entry, json);
  }
  json.EndObject();
}

void WriteOperator(const OperatorDocs& op, const Docs& docs, JsonWriter& json) {
  json.BeginObject();
  json.Field("operator", op.op->name);
  json.Field("anchor", OperatorAnchor(op.op->name));
  if (!op.op->exempt.empty()) json.Field("exempt", op.op->exempt);
  std::vector<std::string> aliases;
  for (const Alias& alias : op.op->aliases) aliases.push_back(alias.name);
  json.CompactArray("aliases", aliases);
  json.BeginArray("lists");
  for (std::size_t i = 0; i < op.lists.size(); ++i) {
    WriteStanding(op.lists[i], docs.lists[i].index->label, json);
  }
  json.EndArray();
  json.CompactArray("inputs", op.inputs);
  json.Records("kernels", op.kernels, [&](const DeviceTypes& kernel) {
    json.Field("device", kernel.device);
    json.CompactArray("dtypes", kernel.dtypes);
  });
  json.Array("sites", op.op->sites, [&](const Site& site) {
    WritePlace(site.location, site.condition.text(), docs.link, json);
  });
  json.EndObject();
}

std::vector<DocsFile> RenderJson(const Docs& docs) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-docs/1");
  json.Field("dialect", docs.dialect);
  json.Field("incomplete", docs.incomplete);
  json.Array("lists", docs.lists, [&](const ListDocs& list) { WriteList(list, json); });
  json.Array("operators", docs.operators,
             [&](const OperatorDocs& op) { WriteOperator(op, docs, json); });
  json.EndObject();
  return {{"operator-docs.json", text + '\n'}};
}

}  // namespace

extern const DocsFormat kJsonDocs = {"json", ".json", "everything, for programs", RenderJson};

}  // namespace opledger
