// json: everything, for programs. Schema: schemas/report.schema.json. No time, no host, no absolute
// path of ours: the same check gives the same bytes anywhere.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "checker/reports/reports.h"
#include "registry/json/json_write.h"
#include "registry/platform/sha256.h"
#include "registry/project/version.h"

namespace opledger {
namespace {

void WritePlace(const Location& location, JsonWriter& json) {
  json.Field("path", location.path);
  json.Field("line", location.line);
  json.Field("column", location.column);
  json.Field("end_line", location.end_line);
  json.Field("end_column", location.end_column);
}

// The digits that mean something, the same on every machine.
double Hundredths(double value) { return std::round(value * 100) / 100; }

void WriteSuggestion(const Suggestion& suggestion, JsonWriter& json) {
  json.BeginObject();
  json.Field("command", suggestion.command);
  json.Key("edits");
  json.BeginArray();
  for (const Edit& edit : suggestion.edits) {
    json.CompactNext();
    json.BeginObject();
    json.Field("path", edit.path);
    json.Field("offset", static_cast<std::int64_t>(edit.offset));
    json.Field("length", static_cast<std::int64_t>(edit.length));
    json.Field("text", edit.text);
    json.EndObject();
  }
  json.EndArray();
  json.Key("safe");
  json.Boolean(suggestion.safe);
  json.EndObject();
}

void WriteSupport(const Support& support, JsonWriter& json) {
  json.CompactNext();
  json.BeginObject();
  json.Field("clue", support.feature);
  json.Field("value", support.value);
  json.Field("agreeing", support.agreeing);
  json.Field("of", support.of);
  json.Key("elsewhere");
  json.Boolean(support.elsewhere);
  json.Key("weight");
  json.Number(Hundredths(support.weight));
  json.Field("text", support.text);
  json.EndObject();
}

void WriteCandidates(const std::vector<Candidate>& candidates, JsonWriter& json) {
  if (candidates.empty()) return;
  json.Key("candidates");
  json.BeginArray();
  for (const Candidate& candidate : candidates) {
    json.BeginObject();
    json.Field("policy", PolicyName(candidate.policy));
    json.Key("probability");
    json.Number(Hundredths(candidate.probability));
    json.Key("support");
    json.BeginArray();
    for (const Support& support : candidate.support) WriteSupport(support, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteFinding(const Finding& finding, JsonWriter& json) {
  json.BeginObject();
  json.Field("rule", finding.rule);
  json.Field("severity", SeverityName(finding.severity));
  json.Field("status", StatusName(finding.status));
  if (!finding.reason.empty()) json.Field("reason", finding.reason);
  json.Field("operator", finding.op);
  json.Field("list", finding.list);
  json.Field("message", finding.message);
  json.Key("location");
  json.CompactNext();
  json.BeginObject();
  WritePlace(finding.location, json);
  json.EndObject();
  json.Key("related");
  json.BeginArray();
  for (const Related& related : finding.related) {
    json.CompactNext();
    json.BeginObject();
    WritePlace(related.location, json);
    json.Field("message", related.message);
    json.EndObject();
  }
  json.EndArray();
  json.Key("suggestions");
  json.BeginArray();
  for (const Suggestion& suggestion : finding.suggestions) WriteSuggestion(suggestion, json);
  json.EndArray();
  WriteCandidates(finding.candidates, json);
  json.Field("fingerprint", finding.Fingerprint());
  json.EndObject();
}

void WriteInputs(const Summary& summary, const Manifest& manifest, JsonWriter& json) {
  json.Key("inputs");
  json.BeginObject();
  json.Field("operators_sha256",
             Sha256Hex(manifest.text.empty() ? WriteManifest(manifest) : manifest.text));
  json.Key("lists");
  json.BeginArray();
  for (const ListSummary& list : summary.lists) {
    json.CompactNext();
    json.BeginObject();
    json.Field("list", list.label);
    json.Field("path", list.path);
    json.Field("sha256", Sha256Hex(list.text));
    json.Field("configuration", list.configuration);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteSummary(const Summary& summary, int files, JsonWriter& json) {
  json.Key("summary");
  json.BeginObject();
  json.Field("dialect", summary.dialect);
  json.Field("operators", summary.operators);
  json.Field("exempt", summary.exempt);
  json.Field("files", files);
  json.Field("errors", summary.errors);
  json.Field("warnings", summary.warnings);
  json.Field("notes", summary.notes);
  json.Field("ignored", summary.ignored);
  json.Field("baseline", summary.baseline);
  json.Field("resolved", summary.resolved);
  json.Key("by_list");
  json.BeginObject();
  for (const ListSummary& list : summary.lists) {
    json.Key(list.label);
    json.CompactNext();
    json.BeginObject();
    json.Field("classified", list.classified);
    json.Field("unclassified", list.unclassified);
    json.EndObject();
  }
  json.EndObject();
  json.Key("by_rule");
  json.BeginObject();
  for (const auto& [rule, count] : summary.by_rule) json.Field(rule, count);
  json.EndObject();
  json.EndObject();
}

void WriteIncomplete(const Manifest& manifest, JsonWriter& json) {
  json.Key("incomplete");
  json.BeginArray();
  for (const Incomplete& incomplete : manifest.incomplete) {
    json.CompactNext();
    json.BeginObject();
    WritePlace(incomplete.location, json);
    json.Field("stage", incomplete.stage);
    json.Field("detail", incomplete.detail);
    json.EndObject();
  }
  json.EndArray();
}

// Both parts, each sorted, in the order of findings.
std::vector<const Finding*> Merged(const std::vector<Finding>& findings,
                                   const std::vector<Finding>& silenced) {
  std::vector<const Finding*> merged;
  for (const Finding& finding : findings) merged.push_back(&finding);
  for (const Finding& finding : silenced) merged.push_back(&finding);
  std::stable_sort(merged.begin(), merged.end(), [](const Finding* a, const Finding* b) {
    return std::tie(a->location, a->rule, a->op, a->list) <
           std::tie(b->location, b->rule, b->op, b->list);
  });
  return merged;
}

std::string RenderJson(const ReportInput& input) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-report/1");
  json.Key("tool");
  json.CompactNext();
  json.BeginObject();
  json.Field("name", "opledger");
  json.Field("version", Version());
  json.EndObject();
  json.Field("exit_code", input.exit_status);
  if (!input.today.empty()) json.Field("judged_on", input.today);
  WriteInputs(input.summary, input.manifest, json);
  WriteSummary(input.summary, input.manifest.files, json);
  json.Key("findings");
  json.BeginArray();
  for (const Finding* finding : Merged(input.findings, input.silenced)) {
    WriteFinding(*finding, json);
  }
  json.EndArray();
  WriteIncomplete(input.manifest, json);
  json.EndObject();
  return text + '\n';
}

}  // namespace

extern const ReportFormat kJsonReport = {"json", "everything, for programs", RenderJson};

}  // namespace opledger
