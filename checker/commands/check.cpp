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
#include "checker/git/hidden_findings.h"
#include "checker/git/lost_lists.h"
#include "checker/git/submodules.h"
#include "checker/project/checked_project.h"
#include "checker/project/fixes.h"
#include "checker/project/kept_rows.h"
#include "checker/reports/output_formats.h"
#include "checker/reports/statistics.h"
#include "checker/rules/rules.h"
#include "checker/terminal/shell_quote.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/files.h"
#include "registry/project/contained_path.h"
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

bool WriteReports(const std::vector<OutputFormat>& outputs, ReportInput& input, bool color,
                  Diagnostics& diagnostics) {
  for (const OutputFormat& output : outputs) {
    input.color = color && output.file == "-";
    const std::string text = output.format->render(input);
    if (!WriteFile(output.file, text, diagnostics)) return false;
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
int ShowFixes(const CheckOptions& options, CheckedProject& checked, FilteredFindings& filtered,
              Diagnostics& diagnostics) {
  const std::optional<Fixes> fixes = MakeFixes(checked, filtered, diagnostics);
  if (!fixes || !VerifyFixes(options, checked, *fixes, diagnostics)) return Fail(diagnostics);
  std::string text;
  for (const auto& [path, file] : fixes->files) {
    text += UnifiedDiff(Printable(path), file.before, file.after);
  }
  Print(text);
  return text.empty() ? kExitClean : kExitFindings;
}

constexpr std::size_t kLargestFixed = std::size_t{1} << 30;  // bytes, as the largest source

bool WriteFixes(const CheckOptions& options, CheckedProject& checked, FilteredFindings& filtered,
                Diagnostics& diagnostics) {
  const std::optional<Fixes> fixes = MakeFixes(checked, filtered, diagnostics);
  if (!fixes || !VerifyFixes(options, checked, *fixes, diagnostics)) return false;
  for (const auto& [path, file] : fixes->files) {
    const bool of_project = options.lists.empty() && StaysBelow(path);
    const Project& project = *checked.project;
    const FileLock lock(project.source().Absolute(path));
    const auto now = project.source().Read(
        path, kLargestFixed, of_project ? Reach::kBelow : Reach::kAnywhere, diagnostics);
    if (!now) return false;
    if (*now != file.before) {
      return diagnostics.Error({path, 0, 0, 0, 0}, "was changed while it was checked",
                               "run it again");
    }
    if (!project.Write(path, of_project, file.after, diagnostics)) return false;
  }
  if (!options.global.quiet && !fixes->files.empty()) {
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
      if (list.label != finding.list ||
          IsShipped(checked.project->source().Absolute(list.list->path)))
        continue;
      edit = LikeliestEdit(*list.list, finding).value_or(Edit());
    }
  }
  return edits;
}

// What was asked for, of the files on disk: the tree that is checked may be another.
struct Origin {
  const CheckOptions* asked = nullptr;
  const Project* repository = nullptr;
  const std::vector<Submodule>* staged = nullptr;
};

// The state to compare with; it must outlive the check. nullptr, with errors, where git has it not.
std::unique_ptr<RevisionCheck> CompareWith(const Origin& origin, CheckedProject& checked,
                                           Diagnostics& diagnostics) {
  const std::string& name = origin.asked->against;
  auto revision = CheckRevision(name, *origin.asked, *origin.repository, diagnostics);
  if (revision == nullptr) return revision;
  checked.index->CompareWith(revision->checked.index.get());
  if (checked.index->before() != nullptr) AddLostLists(*checked.index->before(), checked);
  const std::string& root = origin.repository->root();
  const std::vector<Submodule>& base = revision->submodules;
  revision->unseen =
      FindUnseen(base, origin.staged != nullptr ? *origin.staged : SubmodulesOfWorkTree(root, base),
                 name, *origin.asked, checked);
  if (!origin.asked->staged) WarnOfSparseCheckout(root, diagnostics);
  WarnOfRevision(*revision, name, diagnostics);
  checked.times.End("revision " + name);
  return revision;
}

void AddIncomplete(const std::vector<Incomplete>& unseen, CheckedProject& checked) {
  auto& incomplete = checked.manifest->incomplete;
  incomplete.insert(incomplete.end(), unseen.begin(), unseen.end());
}

// --policy-from: suppressions that the revision does not have silence nothing.
bool ApplyPolicy(const Origin& origin, CheckedProject& checked, Diagnostics& diagnostics) {
  const std::string& name = origin.asked->policy_from;
  if (name.empty()) return true;
  const auto revision = CheckRevision(name, *origin.asked, *origin.repository, diagnostics);
  if (revision != nullptr) KeepOldSuppressions(*revision, checked);
  return revision != nullptr;
}

// Adds what the change hides, where the two can be compared; whatever filters today's findings does
// not filter these.
bool AddHidden(const Origin& origin, const std::vector<Finding>& all, const RevisionCheck& revision,
               CheckedProject& checked, FilteredFindings& filtered, Diagnostics& diagnostics) {
  const CheckOptions& options = *origin.asked;
  if (!revision.problems.all().empty() || !options.policy_from.empty()) return true;
  RevisionSettings settings(options, *origin.repository, checked.project->source());
  if (!settings.Read(options.against, diagnostics)) return false;
  auto hidden = FindHidden(all, revision, options.against, checked, settings, diagnostics);
  if (!hidden) return false;
  std::move(hidden->begin(), hidden->end(), std::back_inserter(filtered.counted));
  std::stable_sort(filtered.counted.begin(), filtered.counted.end(),
                   [](const Finding& a, const Finding& b) { return a.location < b.location; });
  return true;
}

// --staged: an operator that has its policy in the working tree's list already.
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

// The reports of what was found; `kept`: the baseline as it is in its file. The exit status.
int ShowFindings(const CheckOptions& options, const std::vector<OutputFormat>& outputs,
                 std::size_t resolved, const Baseline& kept, CheckedProject& checked,
                 const FilteredFindings& filtered, Diagnostics& diagnostics) {
  Summary summary = Summarise(*checked.index);
  CountFindings(filtered.counted, filtered.silenced, kept, *checked.manifest, summary);
  summary.resolved = static_cast<int>(resolved);
  summary.incomplete = filtered.incomplete;
  summary.off = filtered.off;
  const std::optional<ProjectFile>& file = checked.project->file();
  if (file) summary.excluded = static_cast<int>(file->exclude.size());
  summary.against = options.against;
  const FailOn fail_on = ParseSeverity(options.fail_on);  // none for "never"
  const int status = diagnostics.incomplete() ? kExitIncomplete : ExitStatus(filtered, fail_on);
  ReportInput report = {
      filtered.counted,     summary, *checked.manifest, *checked.lines,        {}, status, false,
      options.global.quiet, fail_on, filtered.silenced, checked.index->today()};
  const bool classifies =
      std::any_of(outputs.begin(), outputs.end(),
                  [](const OutputFormat& output) { return output.format->classifies; });
  if (classifies) report.classifications = LikeliestEdits(checked, filtered.counted);
  if (file) report.guidelines = file->guidelines;
  const bool color = UseColor(options.global.color);
  if (!WriteReports(outputs, report, color, diagnostics)) return Fail(diagnostics);
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

// The tree that `options` mean.
int Check(const CheckOptions& options, Origin origin) {
  Diagnostics diagnostics;
  const auto outputs = ParseOutputFormats(ChooseFormats(options.formats), diagnostics);
  if (!outputs) return Fail(diagnostics);
  CheckedProject checked;
  if (!OpenCheckedProject(options, checked, diagnostics)) return Fail(diagnostics);
  const Project& project = *checked.project;
  if (!CheckBaseline(options, checked, diagnostics)) return Fail(diagnostics);
  const Baseline kept = checked.baseline;
  std::unique_ptr<RevisionCheck> revision;
  Baseline known = kept;  // and what the revision has
  if (origin.repository == nullptr) origin = {&options, &project};
  if (!ApplyPolicy(origin, checked, diagnostics)) return Fail(diagnostics);
  if (!options.against.empty()) {
    revision = CompareWith(origin, checked, diagnostics);
    if (revision == nullptr) return Fail(diagnostics);
    Baseline then;
    for (const Finding& finding : revision->findings) then.Add(finding);
    known.Merge(then);
    AddIncomplete(revision->unseen, checked);
  } else if (origin.staged != nullptr) {
    AddIncomplete(FindUnseen({}, *origin.staged, "", options, checked), checked);
  }
  std::vector<Finding> all = RunRules(*checked.index, checked.severities.Named());
  for (const Finding& finding : all) {
    if (revision != nullptr && IsUnseen(revision->unseen, finding.location.path)) {
      known.Add(finding);
    }
  }
  // What was not read may still have them.
  const std::size_t resolved = checked.manifest->IsWhole() ? kept.Resolved(all).size() : 0;
  std::vector<Finding> compared;  // a copy of many findings is large
  if (revision != nullptr) compared = all;
  FilteredFindings filtered =
      FilterFindings(std::move(all), checked.severities, *checked.index, known);
  if (revision != nullptr &&
      !AddHidden(origin, compared, *revision, checked, filtered, diagnostics)) {
    return Fail(diagnostics);
  }
  checked.baseline = std::move(known);
  checked.times.End("rules");
  if (options.diff) return ShowFixes(options, checked, filtered, diagnostics);
  if (options.fix && !WriteFixes(options, checked, filtered, diagnostics)) {
    return Fail(diagnostics);
  }
  const bool suggests =
      std::any_of(outputs->begin(), outputs->end(),
                  [](const OutputFormat& output) { return output.format->suggests; });
  if (suggests) AddCandidates(*checked.index, filtered.counted, diagnostics);
  if (options.staged) TellUnstaged(*origin.repository, *checked.index, filtered.counted);
  checked.times.End("suggestions");
  return ShowFindings(options, *outputs, resolved, kept, checked, filtered, diagnostics);
}

// --policy-from: a tree, by the settings of a revision.
int CheckByPolicyOf(const Origin& origin, const Source& tree, Diagnostics& diagnostics) {
  const std::string& name = origin.asked->policy_from;
  RevisionSettings settings(*origin.asked, *origin.repository, tree);
  if (!settings.Read(name, diagnostics)) return Fail(diagnostics);
  if (!settings.found()) {
    diagnostics.Error({},
                      "there are no settings to take: revision '" + name +
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

VerbCall PrepareCheck() {
  auto options = std::make_shared<CheckOptions>();
  return MakeCall(
      options,
      Joined(
          SelectionOptions(*options),
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
           {"--policy-from", "REV",
            "A git revision: take project file, dialect, baseline, suppressions and the settings "
            "of "
            "lists from it",
            &options->policy_from},
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
