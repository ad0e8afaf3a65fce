// opledger check: manifest and lists -> findings -> reports and an exit status.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>

#include "checker/candidates/candidates.h"
#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/edit/classify.h"
#include "checker/edit/unified_diff.h"
#include "checker/filter/filter.h"
#include "checker/git/revision_check.h"
#include "checker/project/checked_project.h"
#include "checker/project/fixes.h"
#include "checker/reports/output_formats.h"
#include "checker/reports/statistics.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/files.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// 3 beats 1 beats 0.
int ExitStatus(const FilteredFindings& filtered, const FailOn& fail_on) {
  if (filtered.incomplete > 0) return kExitIncomplete;
  const bool fails =
      std::any_of(filtered.counted.begin(), filtered.counted.end(),
                  [&](const Finding& f) { return fail_on && f.severity >= *fail_on; });
  return fails ? kExitFindings : kExitClean;
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

// A baseline that is asked for by name has to be there.
bool CheckBaseline(const CheckOptions& options, const CheckedProject& checked,
                   Diagnostics& diagnostics) {
  if (options.baseline.empty() || options.baseline == "none" || checked.has_baseline) return true;
  return diagnostics.Error({checked.baseline_path, 0, 0, 0, 0}, "the baseline does not exist",
                           "`opledger baseline write` creates it");
}

// --diff: what --fix would do.
int ShowFixes(CheckedProject& checked, FilteredFindings& filtered, Diagnostics& diagnostics) {
  const std::optional<Fixes> fixes = MakeFixes(checked, filtered, diagnostics);
  if (!fixes) return Fail(diagnostics);
  std::string text;
  for (const auto& [path, file] : fixes->files) {
    text += UnifiedDiff(Printable(path), file.before, file.after);
  }
  Print(text);
  return text.empty() ? kExitClean : kExitFindings;
}

bool WriteFixes(CheckedProject& checked, FilteredFindings& filtered, bool quiet,
                Diagnostics& diagnostics) {
  const std::optional<Fixes> fixes = MakeFixes(checked, filtered, diagnostics);
  if (!fixes) return false;
  for (const auto& [path, file] : fixes->files) {
    if (!WriteFile(path, file.after, diagnostics)) return false;
  }
  if (!quiet && !fixes->files.empty()) {
    const std::string findings = Counted(static_cast<std::uint64_t>(fixes->findings), "finding");
    const std::string files = Counted(fixes->files.size(), "file");
    std::fprintf(stderr, "fixed %s in %s\n", findings.c_str(), files.c_str());
  }
  return true;
}

// Without a state to compare with, as when a list was broken there, everything counts.
void WarnOfRevision(const RevisionCheck& revision, const std::string& name,
                    Diagnostics& diagnostics) {
  if (revision.problems.all().empty()) return;
  for (const Diagnostic& each : revision.problems.all()) {
    diagnostics.Warning(each.location, each.message, each.hint);
  }
  diagnostics.Warning({}, "cannot compare with '" + name + "', so all findings count");
}

// For each finding, where its list is a file of the project.
std::vector<Edit> LikeliestEdits(const CheckedProject& checked,
                                 const std::vector<Finding>& findings) {
  std::vector<Edit> edits;
  for (const Finding& finding : findings) {
    Edit& edit = edits.emplace_back();
    if (finding.rule != "unclassified-operator") continue;
    for (const ListIndex& list : checked.index->lists()) {
      if (list.label != finding.list || IsShipped(list.list->path)) continue;
      edit = LikeliestEdit(*list.list, finding).value_or(Edit());
    }
  }
  return edits;
}

// The tree that is the current folder; `staged`, where it is the one of that.
int Check(const CheckOptions& options, StagedTree* staged) {
  Diagnostics diagnostics;
  const FailOn fail_on = ParseSeverity(options.fail_on);  // none for "never"
  const auto outputs = ParseOutputFormats(ChooseFormats(options.formats), diagnostics);
  if (!outputs) return Fail(diagnostics);
  CheckedProject checked;
  if (!OpenCheckedProject(options, checked, diagnostics)) return Fail(diagnostics);
  const Project& project = *checked.project;
  if (!CheckBaseline(options, checked, diagnostics)) return Fail(diagnostics);
  const Baseline kept = checked.baseline;
  std::unique_ptr<RevisionCheck> revision;
  if (!options.against.empty()) {
    revision = staged != nullptr ? staged->CheckRevision(options.against, diagnostics)
                                 : CheckRevision(options.against, options, project, diagnostics);
    if (revision == nullptr) return Fail(diagnostics);
    for (const Finding& finding : revision->findings) checked.baseline.Add(finding);
    checked.index->CompareWith(revision->checked.index.get());
    WarnOfRevision(*revision, options.against, diagnostics);
    checked.times.End("revision " + options.against);
  }
  const std::vector<Finding> all = RunRules(*checked.index, checked.severities.Named());
  FilteredFindings filtered =
      FilterFindings(all, checked.severities, *checked.index, checked.baseline);
  checked.times.End("rules");
  if (options.diff) return ShowFixes(checked, filtered, diagnostics);
  if (options.fix && !WriteFixes(checked, filtered, options.global.quiet, diagnostics)) {
    return Fail(diagnostics);
  }
  const bool suggests =
      std::any_of(outputs->begin(), outputs->end(),
                  [](const OutputFormat& output) { return output.format->suggests; });
  if (suggests) AddCandidates(*checked.index, filtered.counted, diagnostics);
  checked.times.End("suggestions");
  Summary summary = Summarise(*checked.index);
  CountFindings(filtered.counted, filtered.silenced, summary);
  // What was not read may still have them.
  summary.resolved = checked.manifest->IsWhole() ? static_cast<int>(kept.Resolved(all).size()) : 0;
  summary.incomplete = filtered.incomplete;
  summary.against = options.against;
  const int status = ExitStatus(filtered, fail_on);
  ReportInput report = {
      filtered.counted,     summary, *checked.manifest, *checked.lines,        {}, status, false,
      options.global.quiet, fail_on, filtered.silenced, checked.index->today()};
  const bool classifies =
      std::any_of(outputs->begin(), outputs->end(),
                  [](const OutputFormat& output) { return output.format->classifies; });
  if (classifies) report.classifications = LikeliestEdits(checked, filtered.counted);
  if (project.file()) report.guidelines = project.file()->guidelines;
  const bool color = UseColor(options.global.color);
  if (!WriteReports(*outputs, project, report, color, diagnostics)) return Fail(diagnostics);
  checked.times.End("reports");
  Show(diagnostics);
  if (options.statistics) {
    const UncheckedEntries unchecked = CountUnchecked(*checked.index);
    const std::string text =
        AbsentText(*checked.index) + StatisticsText(filtered, unchecked, checked.times);
    std::fputs(text.c_str(), stderr);
  }
  return status;
}

int RunCheck(const CheckOptions& options) {
  if (!options.staged) return Check(options, nullptr);
  Diagnostics diagnostics;
  if (options.fix || options.diff) {
    diagnostics.Error({}, "--staged cannot be combined with --fix or --diff",
                      "--fix and --diff change files of the working tree");
    return Fail(diagnostics);
  }
  StagedTree staged;
  if (!staged.Open(options, diagnostics)) return Fail(diagnostics);
  return Check(staged.options(), &staged);
}

VerbCall PrepareCheck() {
  auto options = std::make_shared<CheckOptions>();
  return MakeCall(
      options,
      Joined(SelectionOptions(*options),
             {{"--output-format", "FMT[=FILE]",
               "text, concise, json, sarif, github, gitlab, junit, markdown, rdjson; repeatable",
               &options->formats},
              {"--fail-on",
               "SEVERITY",
               "The lowest severity that fails; default: warning",
               &options->fail_on,
               {"error", "warning", "note", "never"}},
              {"--against", "REV", "A git revision: count only findings that it does not have",
               &options->against},
              {"--staged", "", "Check the staged content instead of the working tree",
               &options->staged},
              {"--fix", "", "Apply the safe fixes to the files", &options->fix},
              {"--diff", "", "Print the changes of --fix as a diff; write nothing", &options->diff},
              {"--statistics", "",
               "Print the findings of each rule and the time of each step to standard error",
               &options->statistics}}),
      RunCheck);
}

}  // namespace

extern const Command kCheckCommand = {
    "check", "Check the operators of a source tree against its precision lists",
    "Examples:\n"
    "  opledger check\n"
    "      the tree around opledger.json, with its lists\n"
    "  opledger check --operators operators.json --list float16.json --output-format json\n"
    "      an earlier scan against one list, for a program to read\n"
    "  opledger check --diff\n"
    "      what --fix would change: stale and repeated entries, unused suppressions\n"
    "Exit status: 0 clean, 1 findings, 2 could not run, 3 incomplete.",
    PrepareCheck};

}  // namespace opledger
