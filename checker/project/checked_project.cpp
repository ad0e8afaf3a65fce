// Reads the project file first, because it says where the lists are and how to scan.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/checked_project.h"

#include <algorithm>
#include <set>

#include "checker/project/checked_lists.h"
#include "checker/project/list_choice.h"
#include "checker/project/scan_source.h"
#include "checker/rules/rules.h"
#include "registry/json/json.h"

namespace opledger {
namespace {

// Returns the folder to start in. A single folder on the command line that is not below the current
// one is another project.
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
  std::string hint = "run this at the root of the sources, and check that '" + manifest.dialect +
                     "' is the right dialect";
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

// Reads --baseline, otherwise that of the project file, otherwise the default file beside it.
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
  checked.baseline =
      project.NamesDialects() ? baseline->Of(checked.manifest->dialect) : std::move(*baseline);
  return true;
}

// Reads --evidence, otherwise that of the project file.
bool ReadEvidenceOf(const CheckOptions& options, CheckedProject& checked,
                    Diagnostics& diagnostics) {
  const Project& project = *checked.project;
  if (!options.evidence.empty()) {
    checked.evidence =
        ReadEvidence(NamedIn(options, project, options.evidence),
                     project.FromRoot(options.evidence), Reach::kAnywhere, diagnostics);
    return checked.evidence && checked.evidence->table.Read(diagnostics);
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
  return checked.evidence && checked.evidence->table.Read(diagnostics);
}

}  // namespace

std::set<std::string> CheckedProject::ListLabels() const {
  std::set<std::string> labels;
  for (const ListIndex& list : index->lists()) labels.insert(list.label);
  return labels;
}

void CheckedProject::MakeIndex() {
  const bool ends = std::any_of(suppressions.begin(), suppressions.end(),
                                [](const Suppression& each) { return !each.until.empty(); });
  const CheckIndex* const before = index != nullptr ? index->before() : nullptr;
  index = std::make_unique<CheckIndex>(
      CheckInput{*manifest, lists, configuration, severities.Named(), lists_by_path, suppressions,
                 before, ends ? SuppressionDate() : std::string(), evidence ? &*evidence : nullptr,
                 project ? &project->source() : nullptr});
}

namespace {

// Returns the frameworks of the lists named on the command line. Unreadable lists are reported
// later.
std::set<std::string> FrameworksOfLists(const CheckOptions& options, const Project& project) {
  std::set<std::string> frameworks;
  for (const std::string& list : ListsFromRoot(options.lists, project)) {
    Diagnostics ignored;
    const auto document = ReadJson(project.source(), list, Reach::kAnywhere, ignored);
    const JsonValue* const framework = document ? document->root.Find("framework") : nullptr;
    if (framework != nullptr) frameworks.insert(framework->string);
  }
  return frameworks;
}

}  // namespace

std::vector<CheckOptions> OptionsOfDialects(const CheckOptions& options) {
  if (!options.operators.empty()) return {options};
  Diagnostics ignored;  // reported when the project is opened again
  auto project = Project::Open(options.global, StartDirectory(options), ignored);
  if (!project || !project->NamesDialects()) return {options};
  const std::vector<NamedDialect> dialects = project->file()->dialects;
  const bool chosen = !options.dialect.empty();
  if (chosen && !project->Choose(options.dialect, ignored)) return {options};
  const std::set<std::string> frameworks = FrameworksOfLists(options, *project);
  std::vector<CheckOptions> all;
  for (const NamedDialect& each : dialects) {
    if (chosen && project->file()->dialect != each.dialect) continue;
    if (!chosen && !frameworks.empty() && !frameworks.contains(each.name)) continue;
    all.push_back(options);
    all.back().dialect = each.name;
    all.back().one_of_dialects = each.dialect;
  }
  if (all.empty()) return {options};
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
  // Lists of several dialects may have the same label.
  const std::optional<ProjectFile>& file = checked.project->file();
  checked.lists_by_path = AnyListFile(options.lists) || (file && file->dialects.size() > 1);
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
  // Ignore entries of lists that are not checked.
  if (!options.lists.empty()) checked.baseline = checked.baseline.OfLists(checked.ListLabels());
  checked.times.End("index");
  return true;
}

namespace {

// Returns whether the suppression is reported even if it is used.
bool IsWrong(const CheckedProject& checked, const Suppression& suppression) {
  return !suppression.problem.empty() || suppression.EndedOn(checked.index->today());
}

std::set<Location> UsedSuppressions(const CheckedProject& checked) {
  std::set<Location> used;
  for (const Finding& finding : RunRules(*checked.index, checked.severities.Named())) {
    for (const Suppression* const each : checked.index->SuppressionsOf(finding)) {
      if (!IsWrong(checked, *each)) used.insert(each->location);
    }
  }
  return used;
}

}  // namespace

void ReportSuppressionsOnce(const std::vector<CheckedProject*>& checks) {
  const std::optional<ProjectFile>& file = checks.front()->project->file();
  if (!file || file->dialects.size() < 2) return;
  const bool all = checks.size() == file->dialects.size();
  std::set<Location> left;  // places of suppressions that are used or reported elsewhere
  for (const CheckedProject* const each : checks) {
    if (all && !each->suppressions.empty()) left.merge(UsedSuppressions(*each));
  }
  for (CheckedProject* const each : checks) {
    bool any = false;
    for (Suppression& suppression : each->suppressions) {
      const bool reports = all || IsWrong(*each, suppression);
      suppression.of_others = !reports || !left.insert(suppression.location).second;
      any = any || suppression.of_others;
    }
    if (any) each->MakeIndex();
  }
}

FilteredFindings FindingsOf(const CheckedProject& checked) {
  return FilterFindings(RunRules(*checked.index, checked.severities.Named()), checked.severities,
                        *checked.index, checked.baseline);
}

}  // namespace opledger
