// opledger baseline: writes, prunes and shows the known findings that do not count.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/filter/filter.h"
#include "checker/project/checked_project.h"
#include "checker/reports/summary.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

struct BaselineOptions : CheckOptions {
  std::string action;  // "write", "prune" or "show"
  bool add = false;    // with write: also add new findings
};

// The findings of the rules in one dialect.
struct DialectFindings {
  CheckOptions options;
  CheckedProject checked;
  std::vector<Finding> all;
};
using Checks = std::vector<std::unique_ptr<DialectFindings>>;

// The new contents of the file, and how they differ from the old ones.
struct Update {
  Baseline baseline;
  std::size_t added = 0;
  std::size_t dropped = 0;
  std::size_t left_out = 0;  // new findings that are not added
};

// An update only removes, unless --add is given: a baseline must not grow by accident.
Update MakeUpdate(const CheckedProject& checked, const std::vector<Finding>& all,
                  const std::vector<Finding>& fresh, bool add) {
  Update update;
  if (checked.manifest->IsWhole()) {
    BaselineUse use(checked.baseline);
    for (const Finding& finding : all) {
      if (use.Take(finding)) update.baseline.Add(finding);
    }
    update.dropped = checked.baseline.Resolved(all).size();
  } else {
    update.baseline = checked.baseline;  // places that were not read may still have these findings
  }
  if (!add) {
    update.left_out = fresh.size();
    return update;
  }
  const std::size_t before = update.baseline.findings().size();
  for (const Finding& finding : fresh) update.baseline.Add(finding);
  update.added = update.baseline.findings().size() - before;
  return update;
}

int ShowBaseline(const Checks& checks) {
  Baseline baseline;
  std::vector<Finding> all;
  bool whole = true;
  for (const auto& each : checks) {
    baseline.Merge(each->checked.baseline);
    all.insert(all.end(), each->all.begin(), each->all.end());
    whole = whole && each->checked.manifest->IsWhole();
  }
  Print(BaselineSummary(baseline, checks.front()->checked.baseline_path, all, whole));
  return kExitClean;
}

int WriteUpdate(const BaselineOptions& options, const CheckedProject& checked, const Update& update,
                Diagnostics& diagnostics) {
  const std::string text_of_file = update.baseline.Text();
  const bool written = checked.project->Write(checked.baseline_path, options.baseline.empty(),
                                              text_of_file, diagnostics);
  if (!written) return Fail(diagnostics);
  Show(diagnostics);
  if (options.global.quiet) return kExitClean;
  std::string text = ShownPath(checked.baseline_path) + ": " +
                     Counted(update.baseline.findings().size(), "finding");
  if (update.added > 0 && checked.has_baseline)
    text += ", " + std::to_string(update.added) + " added";
  if (update.dropped > 0) text += ", " + std::to_string(update.dropped) + " dropped";
  text += '\n';
  if (update.left_out > 0 && options.action == "write") {
    text += Counted(update.left_out, "new finding") +
            " left out: `opledger baseline write --add` adds them\n";
  }
  Print(text);
  return kExitClean;
}

// Opens one dialect. Returns false, with errors, if its baseline cannot be written or pruned.
bool OpenFor(const BaselineOptions& options, DialectFindings& found, Diagnostics& diagnostics) {
  CheckedProject& checked = found.checked;
  if (!OpenCheckedProject(found.options, checked, diagnostics)) return false;
  if (!checked.has_baseline && options.action != "write") {
    return diagnostics.Error({checked.baseline_path, 0, 0, 0, 0}, "the baseline does not exist",
                             "`opledger baseline write` creates it");
  }
  if (options.action == "prune" && !checked.manifest->IsWhole()) {
    const Incomplete& first = checked.manifest->incomplete.front();
    diagnostics.MarkIncomplete();
    return diagnostics.Error(
        first.location, "the scan is incomplete: " + first.detail,
        "findings in unread places may still exist, so the baseline is not changed");
  }
  const auto& incomplete = checked.manifest->incomplete;
  const auto unread =
      std::find_if(incomplete.begin(), incomplete.end(),
                   [](const Incomplete& each) { return IsFromSystem(each.detail); });
  if (options.action == "write" && unread != incomplete.end()) {
    diagnostics.MarkIncomplete();
    return diagnostics.Error(
        unread->location, "the scan is incomplete: " + unread->detail,
        "a read error must not become part of the baseline; run the command again");
  }
  if (options.action == "write" && !incomplete.empty()) {
    diagnostics.Warning(incomplete.front().location,
                        "the scan is incomplete: " + incomplete.front().detail,
                        "`opledger check` shows all such places, which are not checked");
  }
  return true;
}

// Returns the entries of the file that this run does not update: those of other dialects of the
// project and, with --list, of other lists.
Baseline OfOthers(const BaselineOptions& options, const CheckedProject& checked,
                  const Checks& checks, Diagnostics& diagnostics) {
  Baseline others;
  const bool dialects = checked.project->NamesDialects();
  if (!checked.has_baseline || (!dialects && options.lists.empty())) return others;
  const auto whole =
      ReadBaseline(checked.project->source(), checked.baseline_path, Reach::kAnywhere, diagnostics);
  if (!whole) return others;
  for (const auto& each : checks) {
    if (options.lists.empty()) break;
    const std::set<std::string> labels = each->checked.ListLabels();
    const Baseline own = dialects ? whole->Of(each->checked.manifest->dialect) : *whole;
    for (const Finding& finding : own.findings()) {
      if (!finding.list.empty() && !labels.contains(finding.list)) others.Add(finding);
    }
  }
  if (!dialects) return others;
  for (const NamedDialect& each : checked.project->file()->dialects) {
    const bool checked_now = std::any_of(checks.begin(), checks.end(), [&](const auto& check) {
      return check->checked.manifest->dialect == each.name;
    });
    if (!checked_now) others.Merge(whole->Of(each.name));
  }
  return others;
}

int RunBaseline(const BaselineOptions& options) {
  Diagnostics diagnostics;
  Checks checks;
  for (CheckOptions& own : OptionsOfDialects(options)) {
    checks.push_back(std::make_unique<DialectFindings>());
    checks.back()->options = std::move(own);
    if (OpenFor(options, *checks.back(), diagnostics)) continue;
    const int status = Fail(diagnostics);
    return diagnostics.incomplete() ? kExitIncomplete : status;
  }
  std::vector<CheckedProject*> opened;
  for (const auto& each : checks) opened.push_back(&each->checked);
  ReportSuppressionsOnce(opened);
  for (const auto& each : checks) {
    each->all = RunRules(*each->checked.index, each->checked.severities.Named());
  }
  if (options.action == "show") return ShowBaseline(checks);
  const CheckedProject& first = checks.front()->checked;
  Update update;
  update.baseline = OfOthers(options, first, checks, diagnostics);
  if (diagnostics.has_errors()) return Fail(diagnostics);
  const bool add = options.action == "write" && (options.add || !first.has_baseline);
  for (const auto& each : checks) {
    const CheckedProject& checked = each->checked;
    const FilteredFindings filtered =
        FilterFindings(each->all, checked.severities, *checked.index, checked.baseline);
    std::vector<Finding> fresh;  // without notes, which never fail a check
    for (const Finding& finding : filtered.counted) {
      if (finding.severity != Severity::kNote) fresh.push_back(finding);
    }
    const Update own = MakeUpdate(checked, each->all, fresh, add);
    update.baseline.Merge(own.baseline);
    update.added += own.added;
    update.dropped += own.dropped;
    update.left_out += own.left_out;
  }
  return WriteUpdate(options, first, update, diagnostics);
}

VerbCall PrepareBaseline() {
  auto options = std::make_shared<BaselineOptions>();
  return MakeCall(options,
                  Joined(Joined({{"ACTION",
                                  "",
                                  "What to do with the baseline",
                                  &options->action,
                                  {"write", "prune", "show"},
                                  true}},
                                SelectionOptions(*options)),
                         {{"--add", "", "With write: also add new findings", &options->add}}),
                  RunBaseline);
}

}  // namespace

extern const Command kBaselineCommand = {
    "baseline", "Write, prune or show the baseline: known findings that do not count",
    "Examples:\n"
    "  opledger baseline write\n"
    "      today's findings no longer count; new ones do\n"
    "  opledger baseline prune\n"
    "      removes entries that are no longer found\n"
    "Updating an existing baseline only removes entries; `write --add` also adds new findings.",
    PrepareBaseline};

}  // namespace opledger
