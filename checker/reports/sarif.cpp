// sarif: version 2.1.0, restricted to what GitHub's code scanning accepts: relative URIs, one
// location with all four numbers, rules with help, fingerprints, at most 25,000 results.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "checker/reports/reports.h"
#include "checker/reports/sarif_text.h"
#include "checker/rules/rules.h"
#include "registry/json/json_write.h"
#include "registry/project/version.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxResults = 25'000;
constexpr std::size_t kMaxRelated = 100;

void WriteText(std::string_view key, std::string_view text, JsonWriter& json) {
  json.BeginCompactObject(key);
  json.Field("text", text);
  json.EndObject();
}

void WriteRule(const Rule& rule, JsonWriter& json) {
  json.BeginObject();
  json.Field("id", rule.name);
  WriteText("shortDescription", rule.summary, json);
  WriteText("fullDescription", SarifMessage(FirstParagraph(rule.page)), json);
  WriteText("help", SarifMessage(rule.page), json);
  json.BeginCompactObject("defaultConfiguration");
  json.Field("level", SeverityName(rule.severity));
  json.EndObject();
  json.EndObject();
}

void WritePhysicalLocation(const Location& location, SourceLines& lines, JsonWriter& json) {
  const SarifRegion region = MakeSarifRegion(location, lines.Line(location));
  json.BeginObject("physicalLocation");
  json.BeginCompactObject("artifactLocation");
  // A location is required: use the project file for findings without a file.
  json.Field("uri", SarifUri(location.path.empty() ? "opledger.json" : location.path));
  json.EndObject();
  json.BeginCompactObject("region");
  json.Field("startLine", region.start_line);
  json.Field("startColumn", region.start_column);
  json.Field("endLine", region.end_line);
  json.Field("endColumn", region.end_column);
  json.EndObject();
  json.EndObject();
}

void WriteRelated(const Finding& finding, SourceLines& lines, JsonWriter& json) {
  if (finding.related.empty()) return;
  json.BeginArray("relatedLocations");
  const std::size_t count = std::min(finding.related.size(), kMaxRelated);
  for (std::size_t i = 0; i < count; ++i) {
    json.BeginObject();
    json.Field("id", i + 1);
    WritePhysicalLocation(finding.related[i].location, lines, json);
    WriteText("message", SarifMessage(finding.related[i].message), json);
    json.EndObject();
  }
  json.EndArray();
}

// A property bag, for programs. The related locations are for readers.
void WriteCandidates(const Finding& finding, JsonWriter& json) {
  if (finding.candidates.empty()) return;
  json.BeginCompactObject("properties");
  json.Array("candidates", finding.candidates, [&](const Candidate& candidate) {
    json.BeginObject();
    json.Field("policy", PolicyName(candidate.policy));
    json.Field("percent", std::lround(candidate.probability * 100));
    json.EndObject();
  });
  json.EndObject();
}

// Number of results by fingerprint. GitHub requires distinct ones.
using Seen = std::map<std::string, int>;

void WriteResult(const Finding& finding, SourceLines& lines, Seen& seen, JsonWriter& json) {
  std::string message = finding.message;
  for (const Suggestion& suggestion : finding.suggestions) {
    if (!suggestion.command.empty()) message += "\nfix: " + suggestion.command;
  }
  json.BeginObject();
  json.Field("ruleId", finding.rule);
  json.Field("level", SeverityName(finding.severity));
  WriteText("message", SarifMessage(message), json);
  json.BeginArray("locations");
  json.BeginObject();
  WritePhysicalLocation(finding.location, lines, json);
  json.EndObject();
  json.EndArray();
  WriteRelated(finding, lines, json);
  const std::string fingerprint = finding.Fingerprint();
  const int ordinal = ++seen[fingerprint];
  json.BeginCompactObject("partialFingerprints");
  json.Field("primaryLocationLineHash", fingerprint + ':' + std::to_string(ordinal));
  json.EndObject();
  WriteCandidates(finding, json);
  json.EndObject();
}

// Returns all findings, or the worst, in their order.
std::vector<const Finding*> Choose(const std::vector<Finding>& findings) {
  std::vector<const Finding*> chosen;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    for (const Finding& finding : findings) {
      if (finding.severity == severity && chosen.size() < kMaxResults) {
        chosen.push_back(&finding);
      }
    }
  }
  std::sort(chosen.begin(), chosen.end());  // pointers into one vector
  return chosen;
}

void WriteInvocation(const ReportInput& input, std::size_t written, JsonWriter& json) {
  json.BeginArray("invocations");
  json.BeginObject();
  json.Field("executionSuccessful", input.exit_status < 2);
  json.Field("exitCode", input.exit_status);
  json.BeginArray("toolExecutionNotifications");
  if (written < input.findings.size()) {
    json.BeginObject();
    json.Field("level", "warning");
    WriteText("message",
              "truncated: " + std::to_string(written) + " of " +
                  std::to_string(input.findings.size()) + " findings are in this file",
              json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
}

// The id names the lists, so that uploads for different lists do not replace each other.
std::string AutomationId(const std::vector<CheckedDialect>& dialects) {
  std::string id = "opledger";
  for (const CheckedDialect& each : dialects) {
    id += '/' + each.summary.dialect;
    for (const ListSummary& list : each.summary.lists) id += '/' + list.label;
  }
  return Printable(id) + '/';
}

std::string RenderSarif(const ReportInput& input) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.Field("version", "2.1.0");
  json.BeginArray("runs");
  json.BeginObject();
  json.BeginObject("tool");
  json.BeginObject("driver");
  json.Field("name", "opledger");
  json.Field("semanticVersion", Version());
  json.Array("rules", Rules(), [&](const Rule& rule) { WriteRule(rule, json); });
  json.EndObject();
  json.EndObject();
  json.BeginCompactObject("automationDetails");
  json.Field("id", AutomationId(input.dialects));
  json.EndObject();
  json.Field("columnKind", "utf16CodeUnits");
  const std::vector<const Finding*> chosen = Choose(input.findings);
  WriteInvocation(input, chosen.size(), json);
  json.BeginArray("results");
  Seen seen;
  for (const Finding* finding : chosen) WriteResult(*finding, input.lines, seen, json);
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return text + '\n';
}

}  // namespace

extern const ReportFormat kSarifReport = {"sarif", "SARIF 2.1.0, for code scanning", RenderSarif};

}  // namespace opledger
