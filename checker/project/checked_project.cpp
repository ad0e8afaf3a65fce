// Project file first, since it says where the lists are and how the scanner is called.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/checked_project.h"

#include <algorithm>

#include "checker/project/checked_lists.h"
#include "checker/project/scan_source.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

// Where the work starts: a folder given on the command line that is not below the current one is
// another project.
std::string StartDirectory(const CheckOptions& options) {
  if (options.paths.size() != 1) return ".";
  const std::string& path = options.paths.front();
  const Source& here = options.global.here;
  return here.Examine(path).kind == PathKind::kFolder && !here.Holds(path) ? path : ".";
}

bool IsComplete(const Manifest& manifest, Diagnostics& diagnostics) {
  for (const Operator& op : manifest.operators) {
    if (op.CanExist()) return true;
  }
  std::string hint =
      "is this the root of the sources, and '" + manifest.dialect + "' the right dialect?";
  if (!manifest.incomplete.empty()) {
    const Incomplete& first = manifest.incomplete.front();
    const std::string& path = first.location.path;
    hint = (path.empty() ? "" : Printable(path) + ": ") + Printable(first.detail);
    diagnostics.MarkIncomplete();
  }
  return diagnostics.Error({}, "no operator was found, so there is nothing to check", hint);
}

bool ReadSeverities(const CheckOptions& options, const Project& project, Severities& severities,
                    Diagnostics& diagnostics) {
  bool ok = !project.file() || severities.AddProject(*project.file(), diagnostics);
  for (const std::string& text : options.severities) {
    ok = severities.AddFlag(text, diagnostics) && ok;
  }
  ok = severities.Ignore(options.ignore, diagnostics) && ok;
  return severities.Select(options.select, diagnostics) && ok;
}

// --baseline, the project file's, or the one that stands beside it.
bool ReadBaselineOf(const CheckOptions& options, CheckedProject& checked,
                    Diagnostics& diagnostics) {
  const Project& project = *checked.project;
  if (options.baseline == "none") return true;
  const bool asked = !options.baseline.empty();
  if (asked) {
    checked.baseline_path = project.FromRoot(options.baseline);
  } else {
    checked.baseline_path = project.file() && !project.file()->baseline.empty()
                                ? project.file()->baseline
                                : kBaselineFile;
    const Diagnostic outside = {.location = {checked.baseline_path, 0, 0, 0, 0},
                                .message = "the baseline is outside the project",
                                .hint = "copy it into the project, or name it with --baseline"};
    if (!project.source().MustHold(checked.baseline_path, outside, diagnostics)) return false;
  }
  const Source source = asked ? NamedIn(options, project, options.baseline) : project.source();
  const std::optional<bool> there = source.Exists(checked.baseline_path, diagnostics);
  if (!there) return false;
  checked.has_baseline = *there;
  if (!checked.has_baseline) return true;
  std::optional<Baseline> baseline = ReadBaseline(
      source, checked.baseline_path, asked ? Reach::kAnywhere : Reach::kBelow, diagnostics);
  if (!baseline) return false;
  const bool several = project.file() && !project.file()->dialects.empty();
  checked.baseline = several ? baseline->Of(checked.manifest->dialect) : std::move(*baseline);
  return true;
}

// --evidence, else the project file's.
bool ReadEvidenceOf(const CheckOptions& options, CheckedProject& checked,
                    Diagnostics& diagnostics) {
  const Project& project = *checked.project;
  if (!options.evidence.empty()) {
    checked.evidence =
        ReadEvidence(NamedIn(options, project, options.evidence),
                     project.FromRoot(options.evidence), Reach::kAnywhere, diagnostics);
    return checked.evidence.has_value();
  }
  std::string path;
  if (project.file() && !project.file()->evidence.empty()) {
    path = project.file()->evidence;
    const Diagnostic outside = {.location = {path, 0, 0, 0, 0},
                                .message = "the evidence is outside the project",
                                .hint = "copy it into the project, or name it with --evidence"};
    if (!project.source().MustHold(path, outside, diagnostics)) return false;
  }
  if (path.empty()) return true;
  checked.evidence = ReadEvidence(project.source(), path, Reach::kBelow, diagnostics);
  return checked.evidence.has_value();
}

}  // namespace

void CheckedProject::MakeIndex() {
  const bool ends = std::any_of(suppressions.begin(), suppressions.end(),
                                [](const Suppression& each) { return !each.until.empty(); });
  const CheckIndex* const before = index != nullptr ? index->before() : nullptr;
  index = std::make_unique<CheckIndex>(CheckInput{
      *manifest, lists, configuration, severities.Named(), lists_by_path, suppressions, before,
      ends ? SuppressionDate() : std::string(), evidence ? &*evidence : nullptr});
}

std::vector<CheckOptions> OptionsOfDialects(const CheckOptions& options) {
  if (!options.operators.empty()) return {options};
  Diagnostics ignored;  // opening it again says what is wrong
  auto project = Project::Open(options.global, StartDirectory(options), ignored);
  if (!project || !project->file() || project->file()->dialects.empty()) return {options};
  std::vector<CheckOptions> all;
  for (const NamedDialect& each : project->file()->dialects) {
    if (!options.dialect.empty()) {
      if (!project->Choose(options.dialect, ignored)) return {options};
      if (project->file()->dialect != each.dialect) continue;
    }
    all.push_back(options);
    all.back().dialect = each.name;
    all.back().one_of_dialects = each.dialect;
  }
  return all;
}

bool OpenCheckedProject(const CheckOptions& options, CheckedProject& checked,
                        Diagnostics& diagnostics) {
  checked.project = Project::Open(options.global, StartDirectory(options), diagnostics);
  if (!checked.project) return false;
  if (!ReadSeverities(options, *checked.project, checked.severities, diagnostics)) return false;
  checked.manifest = GetManifest(options, FieldsOfCheck(checked.severities.Named()),
                                 *checked.project, diagnostics);
  if (!checked.manifest) return false;
  checked.times.End(options.operators.empty() ? "scan" : "manifest");
  if (!options.allow_empty && !IsComplete(*checked.manifest, diagnostics)) return false;
  auto lists = ReadCheckedLists(options, *checked.project, *checked.manifest, diagnostics);
  if (!lists) return false;
  checked.lists = std::move(*lists);
  checked.configuration = options.configuration;
  // Lists of several dialects may have one label.
  const std::optional<ProjectFile>& file = checked.project->file();
  checked.lists_by_path = !options.lists.empty() || (file && file->dialects.size() > 1);
  if (!ReadEvidenceOf(options, checked, diagnostics)) return false;
  const CheckInput input = {*checked.manifest, checked.lists, options.configuration};
  if (!CheckConfigurations(input, diagnostics)) return false;
  if (!ReadBaselineOf(options, checked, diagnostics)) return false;
  checked.times.End("lists");
  checked.lines = std::make_unique<SourceLines>(checked.project->source(), checked.lists);
  checked.suppressions =
      ReadSuppressions(*checked.manifest, checked.lists, *checked.lines, RuleNames());
  checked.times.End("suppressions");
  checked.MakeIndex();
  checked.times.End("index");
  return true;
}

FilteredFindings FindingsOf(const CheckedProject& checked) {
  return FilterFindings(RunRules(*checked.index, checked.severities.Named()), checked.severities,
                        *checked.index, checked.baseline);
}

}  // namespace opledger
