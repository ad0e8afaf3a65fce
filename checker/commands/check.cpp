// opledger check: checks the lists against the manifest and prints reports.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>

#include "checker/candidates/candidates.h"
#include "checker/commands/commands.h"
#include "checker/commands/dialect_check.h"
#include "checker/commands/shared_options.h"
#include "checker/edit/classify.h"
#include "checker/edit/unified_diff.h"
#include "checker/git/revision_settings.h"
#include "checker/project/fixes.h"
#include "checker/project/kept_rows.h"
#include "checker/project/list_choice.h"
#include "checker/reports/output_formats.h"
#include "checker/reports/statistics.h"
#include "checker/terminal/shell_quote.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// Exit status 3 takes precedence over 1, and 1 over 0.
int ExitStatus(const FilteredFindings& filtered, const FailOn& fail_on) {
  if (filtered.incomplete > 0) return kExitIncomplete;
  const bool fails =
      std::any_of(filtered.counted.begin(), filtered.counted.end(),
                  [&](const Finding& f) { return fail_on && f.severity >= *fail_on; });
  return fails ? kExitFindings : kExitClean;
}

bool WriteReports(const std::vector<OutputFormat>& outputs, ReportInput& input, bool color,
                  Diagnostics& diagnostics) {
  for (const OutputFormat& output : outputs) {
    input.color = color && output.file == "-";
    const std::string text = output.format->render(input);
    if (!WriteFile(output.file, text, diagnostics)) return false;
  }
  return true;
}

// Reports an error if a report would overwrite a file that was read.
bool CheckReports(const std::vector<OutputFormat>& outputs, const DialectCheck& check,
                  Diagnostics& diagnostics) {
  const CheckOptions& options = check.options;
  std::vector<std::string> read = {options.operators, options.evidence};
  if (options.baseline != "none") read.push_back(options.baseline);
  read.insert(read.end(), options.lists.begin(), options.lists.end());
  std::vector<OutputFile> files;
  for (const OutputFormat& output : outputs) files.push_back({"--output-format", output.file});
  return CheckOutputs(*check.checked.project, std::move(read), files, diagnostics);
}

// --diff: prints what --fix would change.
int ShowFixes(const DialectChecks& checks, Diagnostics& diagnostics) {
  std::string text;
  for (const auto& each : checks) {
    const std::optional<Fixes> fixes = MakeFixes(each->checked, each->filtered, diagnostics);
    if (!fixes || !VerifyFixes(each->options, each->checked, *fixes, diagnostics)) {
      return Fail(diagnostics);
    }
    for (const auto& [path, file] : fixes->files) {
      text += UnifiedDiff(Printable(path), file.before, file.after);
    }
  }
  Print(text);
  return text.empty() ? kExitClean : kExitFindings;
}

bool WriteFixes(const CheckOptions& options, CheckedProject& checked, FilteredFindings& filtered,
                Diagnostics& diagnostics) {
  const std::optional<Fixes> fixes = MakeFixes(checked, filtered, diagnostics);
  if (!fixes || !VerifyFixes(options, checked, *fixes, diagnostics)) return false;
  for (const auto& [path, file] : fixes->files) {
    const bool of_project = !AnyListFile(options.lists) && StaysBelow(path);
    const Project& project = *checked.project;
    std::optional<FileEdit> edit = project.Edit(path, of_project, diagnostics);
    if (!edit || !edit->Replace(file.before, file.after, diagnostics)) return false;
  }
  if (!options.global.quiet && !fixes->files.empty()) {
    const std::string findings = Counted(static_cast<std::uint64_t>(fixes->findings), "finding");
    const std::string files = Counted(fixes->files.size(), "file");
    std::fprintf(stderr, "fixed %s in %s\n", findings.c_str(), files.c_str());
  }
  return true;
}

// Returns the edit that gives the finding's operator its likeliest policy. The edit has no path if
// the finding is of another rule, or its list is not a file of the project.
Edit LikeliestEditOf(const DialectChecks& checks, const Finding& finding) {
  if (finding.rule != "unclassified-operator") return {};
  for (const auto& each : checks) {
    const CheckedProject& checked = each->checked;
    if (finding.framework.text() != checked.manifest->dialect) continue;
    for (const ListIndex& list : checked.index->lists()) {
      if (list.label != finding.list ||
          IsShipped(checked.project->source().Absolute(list.list->path))) {
        continue;
      }
      return LikeliestEdit(*list.list, finding).value_or(Edit());
    }
  }
  return {};
}

// --staged: adds a note to findings whose operator has a policy in the working tree but not in the
// index.
void TellUnstaged(const Project& repository, const CheckIndex& index,
                  std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    Diagnostics ignored;
    const auto now = ReadPrecisionList(repository.source(), list.list->path, ignored);
    if (!now) continue;
    for (Finding& finding : findings) {
      if (finding.rule != "unclassified-operator" || finding.list != list.label) continue;
      for (const ListEntry& entry : now->entries) {
        if (entry.op != finding.op) continue;
        Location place = entry.location;
        place.path = list.list->path;
        finding.related = {{place, std::string("it is '") + PolicyName(entry.policy) +
                                       "' in the working tree, but that is not staged"}};
        const std::optional<std::string> quoted = ShellQuote(list.list->path);
        if (quoted) finding.suggestions = {{"git add " + *quoted, {}}};
      }
    }
  }
}

// Fills in the summary of the check.
void Count(DialectCheck& check) {
  const CheckedProject& checked = check.checked;
  check.summary = Summarise(*checked.index);
  CountFindings(check.filtered.counted, check.filtered.silenced, check.kept, *checked.manifest,
                check.summary);
  check.summary.resolved = static_cast<int>(check.resolved);
  check.summary.incomplete = check.filtered.incomplete;
  check.summary.off = check.filtered.off;
  const std::optional<ProjectFile>& file = checked.project->file();
  if (file) check.summary.excluded = static_cast<int>(file->exclude.size());
  check.summary.against = check.options.against;
}

// Names and lists of several dialects may be equal, so each message names its dialect. No
// fingerprint of such a finding depends on its message.
void NameDialects(const DialectChecks& checks) {
  for (const auto& each : checks) {
    for (auto* findings : {&each->filtered.counted, &each->filtered.silenced}) {
      for (Finding& finding : *findings) {
        if (!finding.op.empty()) finding.message += " (dialect '" + finding.framework + "')";
      }
    }
  }
}

// Returns the findings of all dialects, sorted by location.
std::vector<Finding> Together(const DialectChecks& checks,
                              std::vector<Finding> FilteredFindings::*part) {
  std::vector<Finding> all;
  for (const auto& each : checks) {
    const std::vector<Finding>& own = each->filtered.*part;
    all.insert(all.end(), own.begin(), own.end());
  }
  if (checks.size() == 1) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.location < b.location; });
  return all;
}

void TellStatistics(const DialectChecks& checks) {
  for (const auto& each : checks) {
    const CheckedProject& checked = each->checked;
    std::string text =
        AbsentText(*checked.index) + UnusedEvidenceText(*checked.index) +
        StatisticsText(each->filtered, CountUnchecked(*checked.index), checked.times);
    if (checks.size() > 1) text = "dialect " + Printable(checked.manifest->dialect) + ":\n" + text;
    std::fputs(text.c_str(), stderr);
  }
}

// Writes the reports and returns the exit status.
int ShowFindings(const std::vector<OutputFormat>& outputs, const DialectChecks& checks,
                 Diagnostics& diagnostics) {
  const CheckOptions& options = checks.front()->options;
  CheckedProject& first = checks.front()->checked;
  const FailOn fail_on = ParseSeverity(options.fail_on);  // nullopt for "never"
  int status = diagnostics.incomplete() ? kExitIncomplete : kExitClean;
  if (checks.size() > 1) NameDialects(checks);
  std::vector<CheckedDialect> dialects;
  for (const auto& each : checks) {
    Count(*each);
    status = std::max(status, ExitStatus(each->filtered, fail_on));
    dialects.push_back({each->summary, *each->checked.manifest});
    if (each != checks.front()) first.lines->Add(each->checked.lists);
  }
  std::vector<Finding> merged;  // merged only for several dialects: copying many findings is slow
  if (checks.size() > 1) merged = Together(checks, &FilteredFindings::counted);
  const std::vector<Finding>& counted =
      checks.size() > 1 ? merged : checks.front()->filtered.counted;
  ReportInput report = {counted,
                        std::move(dialects),
                        *first.lines,
                        {},
                        status,
                        false,
                        options.global.quiet,
                        fail_on,
                        Together(checks, &FilteredFindings::silenced),
                        first.index->today()};
  const bool classifies =
      std::any_of(outputs.begin(), outputs.end(),
                  [](const OutputFormat& output) { return output.format->classifies; });
  if (classifies) {
    for (const Finding& each : counted) {
      report.classifications.push_back(LikeliestEditOf(checks, each));
    }
  }
  if (const auto& file = first.project->file()) report.guidelines = file->guidelines;
  const bool color = UseColor(options.global.color);
  if (!WriteReports(outputs, report, color, diagnostics)) return Fail(diagnostics);
  first.times.End("reports");
  Show(diagnostics);
  if (options.statistics) TellStatistics(checks);
  return status;
}

// Checks the tree that `options` describe.
int Check(const CheckOptions& options, const Origin& origin) {
  Diagnostics diagnostics;
  const auto outputs = ParseOutputFormats(ChooseFormats(options.formats), diagnostics);
  if (!outputs) return Fail(diagnostics);
  const std::optional<DialectChecks> checks = CheckDialects(options, origin, diagnostics);
  if (!checks || !CheckReports(*outputs, *checks->front(), diagnostics)) return Fail(diagnostics);
  if (options.diff) return ShowFixes(*checks, diagnostics);
  const bool suggests =
      std::any_of(outputs->begin(), outputs->end(),
                  [](const OutputFormat& output) { return output.format->suggests; });
  for (const auto& each : *checks) {
    CheckedProject& checked = each->checked;
    std::vector<Finding>& counted = each->filtered.counted;
    if (options.fix && !WriteFixes(each->options, checked, each->filtered, diagnostics)) {
      return Fail(diagnostics);
    }
    if (suggests) AddCandidates(*checked.index, counted, diagnostics);
    if (options.staged) TellUnstaged(*origin.repository, *checked.index, counted);
    checked.times.End("suggestions");
  }
  return ShowFindings(*outputs, *checks, diagnostics);
}

// --policy-from: checks a tree with the settings of a revision.
int CheckByPolicyOf(const Origin& origin, const Source& tree, Diagnostics& diagnostics) {
  const std::string& name = origin.asked->policy_from;
  RevisionSettings settings(*origin.asked, *origin.repository, tree);
  if (!settings.Read(name, diagnostics)) return Fail(diagnostics);
  if (!settings.found()) {
    diagnostics.Error({},
                      "there are no settings to use: revision '" + name +
                          "' has no project file that can be read",
                      "`opledger init` writes one");
    return Fail(diagnostics);
  }
  return Check(settings.OptionsThere(), origin);
}

int RunCheck(const CheckOptions& options) {
  const bool elsewhere = options.staged || !options.policy_from.empty();
  if (!elsewhere) return Check(options, {});
  Diagnostics diagnostics;
  if (options.fix || options.diff) {
    diagnostics.Error({}, "--staged and --policy-from cannot be combined with --fix or --diff",
                      "--fix and --diff change files of the working tree");
    return Fail(diagnostics);
  }
  if (options.staged) {
    const std::optional<StagedTree> staged = OpenStaged(options, diagnostics);
    if (!staged) return Fail(diagnostics);
    Show(diagnostics);
    diagnostics = Diagnostics();
    const Origin origin = {&options, &staged->repository, &staged->submodules};
    return options.policy_from.empty()
               ? Check(staged->options, origin)
               : CheckByPolicyOf(origin, staged->options.global.here, diagnostics);
  }
  const auto project = Project::Open(options.global, ".", diagnostics);
  if (!project) return Fail(diagnostics);
  return CheckByPolicyOf({&options, &*project}, project->source(), diagnostics);
}

std::vector<VerbOption> GateOptions(CheckOptions& options) {
  return {
      {"--fail-on",
       "SEVERITY",
       "The lowest severity that fails; default: warning",
       &options.fail_on,
       {"error", "warning", "note", "never"}},
      {"--against", "REV",
       "A git revision: count only findings that are new since HEAD branched off from it",
       &options.against},
      {"--policy-from", "REV",
       "A git revision: take the project file, dialect, baseline, suppressions and the settings "
       "of lists from it",
       &options.policy_from},
      {"--staged", "", "Check the staged content instead of the working tree", &options.staged}};
}

std::vector<VerbOption> ResultOptions(CheckOptions& options) {
  return {{"--output-format", "FMT[=FILE]", Join(ReportFormatNames(), ", ") + "; repeatable",
           &options.formats},
          {"--fix", "", "Apply the safe fixes to the files", &options.fix},
          {"--diff", "", "Print the changes of --fix as a diff; write nothing", &options.diff},
          {"--statistics", "",
           "Print the findings of each rule and the time of each step to standard error",
           &options.statistics}};
}

VerbCall PrepareCheck() {
  auto options = std::make_shared<CheckOptions>();
  return MakeCall(options,
                  Joined(SelectionOptions(*options),
                         Joined(InGroup(kRuleGroup, GateOptions(*options)),
                                InGroup("Reports and fixes", ResultOptions(*options)))),
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
