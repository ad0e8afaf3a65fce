// json: everything, for pages of one's own. Schema: schemas/docs.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteStrings(const char* key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.Key(key);
  json.CompactNext();
  json.Strings(texts);
}

void WritePlace(const Location& location, const std::string& condition, const SourceLink& link,
                JsonWriter& json) {
  json.CompactNext();
  json.BeginObject();
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
  json.Key("operators");
  json.CompactNext();
  json.BeginObject();
  for (const Policy policy : kPolicies) {
    const auto found = list.by_policy.find(policy);
    json.Field(PolicyName(policy), found == list.by_policy.end() ? 0 : found->second);
  }
  json.Field("unclassified", list.unclassified);
  json.Field("exempt", list.exempt);
  json.EndObject();
  json.Key("stale");
  json.BeginArray();
  for (const ListEntry* entry : list.stale) {
    json.CompactNext();
    json.BeginObject();
    json.Field("operator", entry->op);
    json.Field("policy", PolicyName(entry->policy));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteClauses(const ListEntry& entry, JsonWriter& json) {
  json.Key("conditions");
  json.BeginArray();
  for (const Clause& clause : entry.clauses) {
    json.BeginObject();
    json.Field("attribute", clause.attribute);
    if (clause.is_range) {
      json.Key("range");
      json.BeginArray();
      for (const std::optional<double>& end : {clause.minimum, clause.maximum}) {
        if (end) json.Number(*end);
        if (!end) json.Null();
      }
      json.EndArray();
    } else {
      WriteStrings("values", clause.values, json);
    }
    json.Field("then", PolicyName(clause.then));
    json.EndObject();
  }
  json.EndArray();
  json.Field("otherwise", PolicyName(entry.otherwise));
}

void WriteStanding(const OperatorInList& status, const std::string& label, JsonWriter& json) {
  json.CompactNext();
  json.BeginObject();
  json.Field("list", label);
  json.Field("policy", StatusWord(status));
  if (const ListEntry* entry = status.entry) {
    if (!entry->reason.empty()) json.Field("reason", entry->reason);
    if (!entry->note.empty()) json.Field("note", entry->note);
    if (!entry->evidence.empty()) json.Field("evidence", entry->evidence);
    if (entry->accumulate) json.Field("accumulate", DtypeName(*entry->accumulate));
    if (!entry->keep_fp32_inputs.empty()) {
      WriteStrings("keep_fp32_inputs", entry->keep_fp32_inputs, json);
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
  WriteStrings("aliases", aliases, json);
  json.Key("lists");
  json.BeginArray();
  for (std::size_t i = 0; i < op.lists.size(); ++i) {
    WriteStanding(op.lists[i], docs.lists[i].index->label, json);
  }
  json.EndArray();
  WriteStrings("inputs", op.inputs, json);
  json.Key("kernels");
  json.BeginArray();
  for (const DeviceTypes& kernel : op.kernels) {
    json.CompactNext();
    json.BeginObject();
    json.Field("device", kernel.device);
    WriteStrings("dtypes", kernel.dtypes, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("sites");
  json.BeginArray();
  for (const Site& site : op.op->sites) {
    WritePlace(site.location, site.condition.text(), docs.link, json);
  }
  json.EndArray();
  json.EndObject();
}

std::vector<DocsFile> RenderJson(const Docs& docs) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-docs/1");
  json.Field("dialect", docs.dialect);
  json.Field("incomplete", docs.incomplete);
  json.Key("lists");
  json.BeginArray();
  for (const ListDocs& list : docs.lists) WriteList(list, json);
  json.EndArray();
  json.Key("operators");
  json.BeginArray();
  for (const OperatorDocs& op : docs.operators) WriteOperator(op, docs, json);
  json.EndArray();
  json.EndObject();
  return {{"operator-docs.json", text + '\n'}};
}

}  // namespace

extern const DocsFormat kJsonDocs = {"json", ".json", "everything, for programs", RenderJson};

}  // namespace opledger
