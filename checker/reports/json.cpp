// json: all data, for programs. Schema: schemas/report.schema.json. Contains no time, host or
// absolute path, so the same check gives the same bytes anywhere.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "checker/reports/reports.h"
#include "registry/files/sha256.h"
#include "registry/json/json_write.h"
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

// Keeps only digits that are significant and equal on all machines.
double Hundredths(double value) { return std::round(value * 100) / 100; }

void WriteSuggestion(const Suggestion& suggestion, JsonWriter& json) {
  json.BeginObject();
  json.Field("command", suggestion.command);
  json.Records("edits", suggestion.edits, [&](const Edit& edit) {
    json.Field("path", edit.path);
    json.Field("offset", edit.offset);
    json.Field("length", edit.length);
    json.Field("text", edit.text);
  });
  json.Field("safe", suggestion.safe);
  json.EndObject();
}

void WriteSupport(const Support& support, JsonWriter& json) {
  json.BeginCompactObject();
  json.Field("clue", support.feature);
  json.Field("value", support.value);
  json.Field("agreeing", support.agreeing);
  json.Field("of", support.of);
  json.Field("elsewhere", support.elsewhere);
  json.Field("weight", Hundredths(support.weight));
  json.Field("text", support.text);
  json.EndObject();
}

void WriteCandidates(const std::vector<Candidate>& candidates, JsonWriter& json) {
  if (candidates.empty()) return;
  json.Array("candidates", candidates, [&](const Candidate& candidate) {
    json.BeginObject();
    json.Field("policy", PolicyName(candidate.policy));
    json.Field("probability", Hundredths(candidate.probability));
    json.Array("support", candidate.support,
               [&](const Support& support) { WriteSupport(support, json); });
    json.EndObject();
  });
}

// `several`: write the dialect.
void WriteFinding(const Finding& finding, bool several, JsonWriter& json) {
  json.BeginObject();
  if (several) json.Field("dialect", finding.framework);
  json.Field("rule", finding.rule);
  json.Field("severity", SeverityName(finding.severity));
  json.Field("status", StatusName(finding.status));
  if (!finding.reason.empty()) json.Field("reason", finding.reason);
  json.Field("operator", finding.op);
  json.Field("list", finding.list);
  json.Field("message", finding.message);
  json.BeginCompactObject("location");
  WritePlace(finding.location, json);
  json.EndObject();
  json.Records("related", finding.related, [&](const Related& related) {
    WritePlace(related.location, json);
    json.Field("message", related.message);
  });
  json.Array("suggestions", finding.suggestions,
             [&](const Suggestion& suggestion) { WriteSuggestion(suggestion, json); });
  WriteCandidates(finding.candidates, json);
  json.Field("fingerprint", finding.Fingerprint());
  json.EndObject();
}

std::string TextOf(const Manifest& manifest) {
  return manifest.text.empty() ? WriteManifest(manifest) : manifest.text;
}

std::string DigestOf(const Manifest& manifest) { return Sha256Hex(TextOf(manifest)); }

// `operators` is the digest of the manifests.
void WriteInputs(const Summary& summary, const std::string& operators, JsonWriter& json) {
  json.BeginObject("inputs");
  json.Field("operators_sha256", operators);
  json.Records("lists", summary.lists, [&](const ListSummary& list) {
    json.Field("list", list.label);
    json.Field("path", list.path);
    json.Field("sha256", Sha256Hex(list.text));
    json.Field("configuration", list.configuration);
  });
  json.EndObject();
}

const char* FateKey(EvidenceFate fate) {
  switch (fate) {
    case EvidenceFate::kUsed:
      return "used";
    case EvidenceFate::kInPart:
      return "in_part";
    case EvidenceFate::kOfKernel:
      return "of_kernel";
    case EvidenceFate::kOtherType:
      return "other_type";
    case EvidenceFate::kUnlisted:
      return "unlisted";
    case EvidenceFate::kUnregistered:
      return "unregistered";
    case EvidenceFate::kNoCounterpart:
      return "no_counterpart";
    case EvidenceFate::kWithoutRow:
      return "without_row";
    case EvidenceFate::kRefused:
      break;
  }
  return "refused";
}

void WriteEvidence(const Summary& summary, JsonWriter& json) {
  if (!summary.has_evidence) return;
  json.BeginObject("evidence");
  for (const auto& [fate, operators] : summary.evidence)
    json.CompactArray(FateKey(fate), operators);
  json.EndObject();
}

void WriteSummary(const Summary& summary, int files, JsonWriter& json) {
  json.BeginObject("summary");
  json.Field("dialect", summary.dialect);
  json.Field("operators", summary.operators);
  json.Field("exempt", summary.exempt);
  json.Field("files", files);
  json.Field("errors", summary.errors);
  json.Field("warnings", summary.warnings);
  json.Field("notes", summary.notes);
  json.Field("ignored", summary.ignored);
  json.Field("baseline", summary.baseline);
  json.Field("of_revision", summary.of_revision);
  json.Field("off", summary.off);
  json.Field("excluded", summary.excluded);
  json.Field("resolved", summary.resolved);
  WriteEvidence(summary, json);
  json.BeginObject("by_list");
  for (const ListSummary& list : summary.lists) {
    json.BeginCompactObject(list.label);
    json.Field("absent", list.absent);
    json.Field("classified", list.classified);
    json.Field("unclassified", list.unclassified);
    if (list.undecided > 0) json.Field("undecided", list.undecided);
    if (*list.unlisted_policy != '\0') json.Field("unlisted", list.unlisted);
    json.EndObject();
  }
  json.EndObject();
  json.BeginObject("by_rule");
  for (const auto& [rule, count] : summary.by_rule) json.Field(rule, count);
  json.EndObject();
  json.EndObject();
}

// Returns the sums over all dialects. Labels of lists begin with the dialect.
Summary Total(const std::vector<CheckedDialect>& dialects, int& files) {
  Summary total;
  for (const auto& [summary, manifest] : dialects) {
    total.dialect += (total.dialect.empty() ? "" : ", ") + summary.dialect;
    total.operators += summary.operators;
    total.exempt += summary.exempt;
    total.ignored += summary.ignored;
    total.baseline += summary.baseline;
    total.of_revision += summary.of_revision;
    total.off += summary.off;
    total.excluded = std::max(total.excluded, summary.excluded);
    total.resolved += summary.resolved;
    total.errors += summary.errors;
    total.warnings += summary.warnings;
    total.notes += summary.notes;
    for (const auto& [rule, count] : summary.by_rule) total.by_rule[rule] += count;
    for (ListSummary list : summary.lists) {
      list.label = summary.dialect + '/' + list.label;
      total.lists.push_back(std::move(list));
    }
    files += manifest.files;
  }
  return total;
}

// Writes inputs and summary: of the dialect or, with several, in total and of each.
void WriteDialects(const ReportInput& input, JsonWriter& json) {
  if (!input.HasSeveralDialects()) {
    const auto& [summary, manifest] = input.dialects.front();
    WriteInputs(summary, DigestOf(manifest), json);
    WriteSummary(summary, manifest.files, json);
    return;
  }
  int files = 0;
  const Summary total = Total(input.dialects, files);
  std::string manifests;
  for (const CheckedDialect& each : input.dialects) manifests += TextOf(each.manifest);
  WriteInputs(total, Sha256Hex(manifests), json);
  WriteSummary(total, files, json);
  json.Array("dialects", input.dialects, [&](const CheckedDialect& each) {
    json.BeginObject();
    WriteInputs(each.summary, DigestOf(each.manifest), json);
    WriteSummary(each.summary, each.manifest.files, json);
    json.EndObject();
  });
}

void WriteIncomplete(const std::vector<CheckedDialect>& dialects, JsonWriter& json) {
  std::vector<Incomplete> all;
  for (const CheckedDialect& each : dialects) {
    const std::vector<Incomplete>& own = each.manifest.incomplete;
    all.insert(all.end(), own.begin(), own.end());
  }
  if (dialects.size() > 1) {  // unreadable files are reported once
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  json.Records("incomplete", all, [&](const Incomplete& incomplete) {
    WritePlace(incomplete.location, json);
    json.Field("stage", incomplete.stage);
    json.Field("detail", incomplete.detail);
  });
}

// Merges two sorted vectors in the order of findings.
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
  json.BeginCompactObject("tool");
  json.Field("name", "opledger");
  json.Field("version", Version());
  json.EndObject();
  json.Field("exit_code", input.exit_status);
  if (!input.today.empty()) json.Field("judged_on", input.today);
  WriteDialects(input, json);
  json.Array("findings", Merged(input.findings, input.silenced), [&](const Finding* finding) {
    WriteFinding(*finding, input.HasSeveralDialects(), json);
  });
  WriteIncomplete(input.dialects, json);
  json.EndObject();
  return text + '\n';
}

}  // namespace

extern const ReportFormat kJsonReport = {"json", "everything, for programs", RenderJson};

}  // namespace opledger
