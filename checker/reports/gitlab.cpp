// gitlab: a code-quality report, which GitLab shows in merge requests.
// A finding keeps its fingerprint when lines move, so that GitLab can distinguish new from old.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "checker/reports/reports.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

// GitLab's names of severities.
const char* Level(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "major";
    case Severity::kWarning:
      return "minor";
    case Severity::kNote:
      break;
  }
  return "info";
}

std::string RenderGitlab(const ReportInput& input) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginArray();
  std::map<std::string, int> seen;  // fingerprints must be unique
  for (const Finding& finding : input.findings) {
    const std::string fingerprint = finding.Fingerprint();
    const int ordinal = ++seen[fingerprint];
    json.BeginObject();
    // The name of the check is not shown, so the description repeats it.
    json.Field("description", Printable(finding.message) + " [" + finding.rule + ']');
    json.Field("check_name", finding.rule);
    json.Field("fingerprint",
               ordinal == 1 ? fingerprint : fingerprint + '-' + std::to_string(ordinal));
    json.Field("severity", Level(finding.severity));
    json.BeginObject("location");
    // A path is required: use the project file for findings without a file.
    const std::string& path = finding.location.path;
    json.Field("path", path.empty() ? "opledger.json" : Printable(path));
    json.BeginCompactObject("lines");
    json.Field("begin", std::max(finding.location.line, 1));
    json.EndObject();
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
  return text + '\n';
}

}  // namespace

extern const ReportFormat kGitlabReport = {"gitlab", "code quality of GitLab", RenderGitlab, false};

}  // namespace opledger
