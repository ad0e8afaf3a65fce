// opledger check: manifest and lists -> findings -> reports and an exit status.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <tuple>

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

// What was asked for, of the files on disk: the tree that is checked may be another.
struct Origin {
  const CheckOptions* asked = nullptr;
  const Project* repository = nullptr;
  const std::vector<Submodule>* staged = nullptr;
};

// The check of one dialect. What it holds refers to each other, so that it stays where it is.
struct DialectCheck {
  CheckOptions options;
  CheckOptions asked;  // the origin's, of this dialect
  CheckedProject checked;
  Baseline kept;  // as it is in its file
  std::unique_ptr<RevisionCheck> revision;
  FilteredFindings filtered;
  std::size_t resolved = 0;
  Summary summary;
};
using DialectChecks = std::vector<std::unique_ptr<DialectCheck>>;

// --diff: what --fix would do.
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

// The edit that gives the finding's operator its likeliest policy, where its list is a file of the
// project; else one without a path.
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

// Whether the project is of the dialect, by its name or as the project file calls it.
bool IsDialect(const CheckedProject& checked, const std::string& dialect) {
  const std::optional<ProjectFile>& file = checked.project->file();
  return checked.manifest->dialect == dialect || (file && file->dialect == dialect);
}

// Whether the revision's project file had the dialect, where it matters which one.
bool HadDialect(const RevisionSettings& settings, const CheckedProject& checked) {
  const std::vector<std::string> then = settings.Dialects();
  const std::optional<ProjectFile>& file = checked.project->file();
  if (then.size() < 2 && (!file || file->dialects.empty())) return true;
  return std::any_of(then.begin(), then.end(),
                     [&](const std::string& each) { return IsDialect(checked, each); });
}

// Adds what the change hides, where the two can be compared; whatever filters today's findings does
// not filter these.
bool AddHidden(const Origin& origin, const std::vector<Finding>& all, const RevisionCheck& revision,
               CheckedProject& checked, FilteredFindings& filtered, Diagnostics& diagnostics) {
  const CheckOptions& options = *origin.asked;
  if (!revision.problems.all().empty() || !options.policy_from.empty()) return true;
  RevisionSettings settings(options, *origin.repository, checked.project->source());
  if (!settings.Read(options.against, diagnostics)) return false;
  if (!HadDialect(settings, checked)) return true;
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

// What was asked for and found, counted.
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

// Takes the findings of all dialects together, in the order of findings.
std::vector<Finding> Together(const DialectChecks& checks,
                              std::vector<Finding> FilteredFindings::* part) {
  if (checks.size() == 1) return std::move(checks.front()->filtered.*part);
  std::vector<Finding> all;
  for (const auto& each : checks) {
    std::vector<Finding>& own = each->filtered.*part;
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.location < b.location; });
  return all;
}

void TellStatistics(const DialectChecks& checks, std::vector<FilteredFindings>& filtered) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const CheckedProject& checked = checks[i]->checked;
    std::string text = AbsentText(*checked.index) +
                       StatisticsText(filtered[i], CountUnchecked(*checked.index), checked.times);
    if (checks.size() > 1) text = "dialect " + Printable(checked.manifest->dialect) + ":\n" + text;
    std::fputs(text.c_str(), stderr);
  }
}

// The reports of what was found. The exit status.
int ShowFindings(const std::vector<OutputFormat>& outputs, const DialectChecks& checks,
                 Diagnostics& diagnostics) {
  const CheckOptions& options = checks.front()->options;
  CheckedProject& first = checks.front()->checked;
  const FailOn fail_on = ParseSeverity(options.fail_on);  // none for "never"
  int status = diagnostics.incomplete() ? kExitIncomplete : kExitClean;
  std::vector<CheckedDialect> dialects;
  std::vector<FilteredFindings> copies;  // for the statistics
  for (const auto& each : checks) {
    Count(*each);
    status = std::max(status, ExitStatus(each->filtered, fail_on));  // 3 beats 1 beats 0
    dialects.push_back({each->summary, *each->checked.manifest});
    if (each != checks.front()) first.lines->Add(each->checked.lists);
    if (options.statistics) copies.push_back(each->filtered);
  }
  const std::vector<Finding> counted = Together(checks, &FilteredFindings::counted);
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
  if (options.statistics) TellStatistics(checks, copies);
  return status;
}

// What the rules find of one dialect, without what does not count. False, with errors, where it
// cannot be checked.
bool Judge(Origin origin, DialectCheck& check, Diagnostics& diagnostics) {
  const CheckOptions& options = check.options;
  CheckedProject& checked = check.checked;
  if (!OpenCheckedProject(options, checked, diagnostics)) return false;
  if (!CheckBaseline(options, checked, diagnostics)) return false;
  check.kept = checked.baseline;
  Baseline known = check.kept;  // and what the revision has
  check.asked = origin.asked == nullptr ? options : *origin.asked;
  check.asked.dialect = options.dialect;
  check.asked.one_of_dialects = options.one_of_dialects;
  origin.asked = &check.asked;
  if (origin.repository == nullptr) origin.repository = &*checked.project;
  if (!ApplyPolicy(origin, checked, diagnostics)) return false;
  if (!options.against.empty()) {
    check.revision = CompareWith(origin, checked, diagnostics);
    if (check.revision == nullptr) return false;
    Baseline then;
    for (const Finding& finding : check.revision->findings) then.Add(finding);
    known.Merge(then);
    AddIncomplete(check.revision->unseen, checked);
  } else if (origin.staged != nullptr) {
    AddIncomplete(FindUnseen({}, *origin.staged, "", options, checked), checked);
  }
  const RevisionCheck* const revision = check.revision.get();
  std::vector<Finding> all = RunRules(*checked.index, checked.severities.Named());
  for (const Finding& finding : all) {
    if (revision != nullptr && IsUnseen(revision->unseen, finding.location.path)) {
      known.Add(finding);
    }
  }
  // What was not read may still have them.
  check.resolved = checked.manifest->IsWhole() ? check.kept.Resolved(all).size() : 0;
  std::vector<Finding> compared;  // a copy of many findings is large
  if (revision != nullptr) compared = all;
  check.filtered = FilterFindings(std::move(all), checked.severities, *checked.index, known);
  if (revision != nullptr && !AddHidden(origin, compared, *revision, checked, check.filtered,
                                        diagnostics)) {
    return false;
  }
  checked.baseline = std::move(known);
  checked.times.End("rules");
  return true;
}

// The same of dialects that the project has no longer. They are told with the first one's.
bool AddHiddenDialects(const CheckOptions& asked, const Origin& origin, const DialectChecks& checks,
                       Diagnostics& diagnostics) {
  CheckedProject& first = checks.front()->checked;
  const Project& repository = origin.repository != nullptr ? *origin.repository : *first.project;
  if (asked.against.empty() || !asked.policy_from.empty() || !asked.dialect.empty()) return true;
  RevisionSettings settings(asked, repository, first.project->source());
  if (!settings.Read(asked.against, diagnostics)) return false;
  const std::vector<std::string> then = settings.Dialects();
  if (then.size() < 2 && checks.size() < 2) return true;
  for (const std::string& dialect : then) {
    const bool still = std::any_of(checks.begin(), checks.end(), [&](const auto& each) {
      return IsDialect(each->checked, dialect);
    });
    if (still) continue;
    CheckOptions own = asked;
    if (then.size() > 1) own.dialect = dialect;
    const auto before = CheckRevision(asked.against, own, repository, diagnostics);
    if (before == nullptr) return false;
    if (!before->problems.all().empty()) continue;
    auto hidden = FindHiddenDialect(dialect, *before, asked.against, settings, diagnostics);
    if (!hidden) return false;
    std::vector<Finding>& counted = checks.front()->filtered.counted;
    std::move(hidden->begin(), hidden->end(), std::back_inserter(counted));
  }
  return true;
}

// Comments in the source and places that cannot be read are of no dialect: what two of them say
// alike is said once, and a comment that silences something of one is not unused by another.
void SayOnce(const DialectChecks& checks) {
  const auto is_of_none = [](const Finding& finding) {
    return finding.op.empty() && finding.list.empty();
  };
  const auto is_unused = [](const Finding& finding) {
    return finding.rule == "suppression-problem";
  };
  std::set<std::tuple<std::string, Location, std::string>> said;
  for (const auto& each : checks) {
    const auto used_elsewhere = [&](const Finding& finding) {
      return std::any_of(checks.begin(), checks.end(), [&](const auto& other) {
        const auto& comments = other->checked.suppressions;
        const auto& counted = other->filtered.counted;
        const auto here = [&](const auto& record) { return record.location == finding.location; };
        return other != each && std::any_of(comments.begin(), comments.end(), here) &&
               std::none_of(counted.begin(), counted.end(), [&](const Finding& same) {
                 return is_unused(same) && here(same);
               });
      });
    };
    std::erase_if(each->filtered.counted, [&](const Finding& finding) {
      if (is_unused(finding) && used_elsewhere(finding)) return true;
      return is_of_none(finding) &&
             !said.emplace(finding.rule, finding.location, finding.message).second;
    });
  }
}

// The tree that `options` mean.
int Check(const CheckOptions& options, const Origin& origin) {
  Diagnostics diagnostics;
  const auto outputs = ParseOutputFormats(ChooseFormats(options.formats), diagnostics);
  if (!outputs) return Fail(diagnostics);
  DialectChecks checks;
  for (CheckOptions& own : OptionsOfDialects(options)) {
    checks.push_back(std::make_unique<DialectCheck>());
    checks.back()->options = std::move(own);
    if (!Judge(origin, *checks.back(), diagnostics)) return Fail(diagnostics);
  }
  const CheckOptions& asked = origin.asked == nullptr ? options : *origin.asked;
  if (!AddHiddenDialects(asked, origin, checks, diagnostics)) return Fail(diagnostics);
  if (checks.size() > 1) SayOnce(checks);
  if (options.diff) return ShowFixes(checks, diagnostics);
  const bool suggests =
      std::any_of(outputs->begin(), outputs->end(),
                  [](const OutputFormat& output) { return output.format->suggests; });
  for (const auto& each : checks) {
    CheckedProject& checked = each->checked;
    std::vector<Finding>& counted = each->filtered.counted;
    if (options.fix && !WriteFixes(each->options, checked, each->filtered, diagnostics)) {
      return Fail(diagnostics);
    }
    if (suggests) AddCandidates(*checked.index, counted, diagnostics);
    if (options.staged) TellUnstaged(*origin.repository, *checked.index, counted);
    checked.times.End("suggestions");
  }
  return ShowFindings(*outputs, checks, diagnostics);
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
