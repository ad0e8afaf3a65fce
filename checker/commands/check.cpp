// opledger check: manifest and lists -> findings -> reports and an exit status.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "checker/check_index.h"
#include "checker/checked_lists.h"
#include "checker/commands.h"
#include "checker/output_formats.h"
#include "checker/project.h"
#include "checker/rules.h"
#include "checker/scan_source.h"
#include "checker/severities.h"
#include "checker/terminal.h"
#include "registry/contained_path.h"
#include "registry/file_write.h"
#include "registry/suggestion.h"

namespace opledger {
namespace {

// The least severity that fails; none for "never".
struct FailOn {
  bool never = false;
  Severity severity = Severity::kWarning;
};

std::optional<FailOn> ParseFailOn(const std::string& text, Diagnostics& diagnostics) {
  if (text == "never") return FailOn{true, Severity::kError};
  for (const Severity severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (text == SeverityName(severity)) return FailOn{false, severity};
  }
  const std::string hint = DidYouMean(text, {"error", "warning", "note", "never"});
  diagnostics.Error({}, "--fail-on: unknown severity '" + text + "'",
                    hint.empty() ? "it can be error, warning, note or never" : hint);
  return std::nullopt;
}

// Where the work starts: a folder given on the command line that is not below the current one is
// another project.
std::string StartDirectory(const CheckOptions& options) {
  if (options.paths.size() != 1) return ".";
  const std::string& path = options.paths.front();
  std::error_code error;
  return std::filesystem::is_directory(path, error) && !IsInside(path, ".") ? path : ".";
}

// What the scan could not read, whatever the severity of the rule; only an ignore rule, which gives
// a reason, takes it back.
int CountIncomplete(const std::vector<Finding>& all, const Severities& severities) {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const Finding& finding) {
    return finding.rule == "incomplete-scan" && !severities.Ignores(finding);
  }));
}

// 3 beats 1 beats 0.
int ExitStatus(const std::vector<Finding>& kept, int incomplete, const FailOn& fail_on) {
  if (incomplete > 0) return kExitIncomplete;
  for (const Finding& finding : kept) {
    if (!fail_on.never && finding.severity >= fail_on.severity) return kExitFindings;
  }
  return kExitClean;
}

bool WriteReports(const std::vector<OutputFormat>& outputs, const Project& project,
                  ReportInput& input, bool color, Diagnostics& diagnostics) {
  for (const OutputFormat& output : outputs) {
    input.color = color && output.file == "-";
    const std::string text = output.format->render(input);
    if (!WriteFile(project.FromRoot(output.file), text, diagnostics)) return false;
  }
  return true;
}

bool IsComplete(const Manifest& manifest, Diagnostics& diagnostics) {
  for (const Operator& op : manifest.operators) {
    if (op.CanExist()) return true;
  }
  diagnostics.Error(
      {}, "no operator was found, so there is nothing to check",
      "is this the root of the sources, and '" + manifest.dialect + "' the right dialect?");
  return false;
}

bool ReadSeverities(const CheckOptions& options, const Project& project, Severities& severities,
                    Diagnostics& diagnostics) {
  bool ok = !project.file() || severities.AddProject(*project.file(), diagnostics);
  for (const std::string& text : options.severities) {
    ok = severities.AddFlag(text, diagnostics) && ok;
  }
  return ok;
}

}  // namespace

int RunCheck(const CheckOptions& options) {
  Diagnostics diagnostics;
  const std::optional<FailOn> fail_on = ParseFailOn(options.fail_on, diagnostics);
  const auto outputs = ParseOutputFormats(options.formats, diagnostics);
  if (!fail_on || !outputs) return Fail(diagnostics);
  std::optional<Project> project =
      Project::Open(options.global.project_file, StartDirectory(options), diagnostics);
  if (!project) return Fail(diagnostics);
  Severities severities;
  if (!ReadSeverities(options, *project, severities, diagnostics)) return Fail(diagnostics);

  const std::optional<Manifest> manifest = GetManifest(options, *project, diagnostics);
  if (!manifest || !IsComplete(*manifest, diagnostics)) return Fail(diagnostics);
  const auto lists = ReadCheckedLists(options, *project, *manifest, diagnostics);
  if (!lists) return Fail(diagnostics);
  const CheckInput check = {*manifest, *lists, options.configuration, severities.Named(),
                            !options.lists.empty()};
  if (!CheckConfigurations(check, diagnostics)) return Fail(diagnostics);

  const CheckIndex index(check);
  const std::vector<Finding> all = RunRules(index, check.turned_on);
  std::vector<Finding> kept = all;
  Summary summary = Summarise(index);
  summary.ignored = severities.Apply(kept);
  CountFindings(kept, summary);
  summary.incomplete = CountIncomplete(all, severities);
  const int status = ExitStatus(kept, summary.incomplete, *fail_on);
  SourceLines lines(project->root(), *lists);
  ReportInput report = {kept, summary, *manifest, lines, {}, status, false, options.global.quiet};
  if (project->file()) report.guidelines = project->file()->guidelines;
  const bool color = UseColor(options.global.color);
  if (!WriteReports(*outputs, *project, report, color, diagnostics)) return Fail(diagnostics);
  Show(diagnostics);
  return status;
}

}  // namespace opledger
