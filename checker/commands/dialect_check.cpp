// Checks each dialect, then what concerns all of them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/dialect_check.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "checker/git/hidden_findings.h"
#include "checker/git/lost_lists.h"
#include "checker/git/revision_settings.h"
#include "checker/rules/rules.h"
#include "registry/project/project.h"

namespace opledger {
namespace {

// Checks that a baseline named on the command line exists. Returns false, with an error, if not.
bool CheckBaseline(const CheckOptions& options, const CheckedProject& checked,
                   Diagnostics& diagnostics) {
  if (options.baseline.empty() || options.baseline == "none" || checked.has_baseline) return true;
  return diagnostics.Error({checked.baseline_path, 0, 0, 0, 0}, "the baseline does not exist",
                           "`opledger baseline write` creates it");
}

// If the revision cannot be compared with, such as when a list was broken there, all findings
// count.
void WarnOfRevision(const RevisionCheck& revision, const std::string& name,
                    Diagnostics& diagnostics) {
  if (revision.problems.all().empty()) return;
  for (const Diagnostic& each : revision.problems.all()) {
    diagnostics.Warning(each.location, each.message, each.hint);
  }
  diagnostics.Warning({}, "cannot compare with '" + name + "', so all findings count");
}

// Replaces the revision of --against by its merge base with HEAD, so that what the revision gained
// since then is not compared.
bool ResolveAgainst(const Project& repository, CheckOptions& asked, Diagnostics& diagnostics) {
  if (asked.against.empty()) return true;
  const Source disk = DiskSource(repository.root());
  const bool tracked = std::getenv("GIT_DIR") != nullptr ||
                       IsRepository(disk, FoldersUpwards(disk, repository.root()).back());
  if (!tracked) return true;  // CheckRevision() reports the error
  const auto base = FindMergeBase(repository.root(), asked.against, diagnostics);
  if (base) asked.against = *base;
  return base.has_value();
}

// Checks the revision to compare with, which must outlive the check. Returns nullptr, with errors,
// if git does not have it.
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

// --policy-from: drops suppressions that the revision does not have.
bool ApplyPolicy(const Origin& origin, CheckedProject& checked, Diagnostics& diagnostics) {
  const std::string& name = origin.asked->policy_from;
  if (name.empty()) return true;
  const auto revision = CheckRevision(name, *origin.asked, *origin.repository, diagnostics);
  if (revision != nullptr) KeepOldSuppressions(*revision, checked);
  return revision != nullptr;
}

// Returns whether this is the project's dialect, by its name or as written in the project file.
bool IsDialect(const CheckedProject& checked, const std::string& dialect) {
  const std::optional<ProjectFile>& file = checked.project->file();
  return checked.manifest->dialect == dialect || (file && file->dialect == dialect);
}

// Returns whether the project file of the revision had the dialect. Always true if neither has
// several dialects.
bool HadDialect(const DialectCheck& check) {
  const std::vector<std::string>& then = check.dialects_then;
  if (then.size() < 2 && !check.checked.project->NamesDialects()) return true;
  return std::any_of(then.begin(), then.end(),
                     [&](const std::string& each) { return IsDialect(check.checked, each); });
}

// Adds the findings that the change hides, if the two states can be compared. Settings that filter
// today's findings do not filter these.
bool AddHidden(const Origin& origin, const std::vector<Finding>& all, DialectCheck& check,
               Diagnostics& diagnostics) {
  const CheckOptions& options = *origin.asked;
  CheckedProject& checked = check.checked;
  std::vector<Finding>& counted = check.filtered.counted;
  if (!options.policy_from.empty()) return true;
  RevisionSettings settings(options, *origin.repository, checked.project->source());
  if (!settings.Read(options.against, diagnostics)) return false;
  check.dialects_then = settings.Dialects();
  if (!check.revision->problems.all().empty() || !HadDialect(check)) return true;
  auto hidden = FindHidden(all, *check.revision, options.against, checked, settings, diagnostics);
  if (!hidden) return false;
  std::move(hidden->begin(), hidden->end(), std::back_inserter(counted));
  std::stable_sort(counted.begin(), counted.end(),
                   [](const Finding& a, const Finding& b) { return a.location < b.location; });
  return true;
}

// Findings of a renamed operator are known under its new name, too.
void AddRenamed(const CheckIndex& index, const std::vector<Finding>& findings, Baseline& then) {
  for (const auto& [now, old] : index.renames()) {
    for (const Finding& finding : findings) {
      if (finding.op != old->name) continue;
      Finding renamed = finding;
      renamed.op = now->name;
      then.Add(renamed);
    }
  }
}

// Runs the rules on an open dialect and drops the findings that do not count. Returns false, with
// errors, if it cannot be checked.
bool Judge(Origin origin, DialectCheck& check, Diagnostics& diagnostics) {
  const CheckOptions& options = check.options;
  CheckedProject& checked = check.checked;
  if (!CheckBaseline(options, checked, diagnostics)) return false;
  check.kept = checked.baseline;
  Baseline known = check.kept;  // plus the findings of the revision
  check.asked = origin.asked == nullptr ? options : *origin.asked;
  check.asked.dialect = options.dialect;
  check.asked.one_of_dialects = options.one_of_dialects;
  origin.asked = &check.asked;
  if (origin.repository == nullptr) origin.repository = &*checked.project;
  if (!ApplyPolicy(origin, checked, diagnostics)) return false;
  if (!ResolveAgainst(*origin.repository, check.asked, diagnostics)) return false;
  if (!options.against.empty()) {
    check.revision = CompareWith(origin, checked, diagnostics);
    if (check.revision == nullptr) return false;
    Baseline then;
    for (const Finding& finding : check.revision->findings) then.Add(finding);
    AddRenamed(*checked.index, check.revision->findings, then);
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
  // Places that were not read may still have their findings.
  check.resolved = checked.manifest->IsWhole() ? check.kept.Resolved(all).size() : 0;
  std::vector<Finding> compared;  // copied only if needed: there may be many
  if (revision != nullptr) compared = all;
  check.filtered = FilterFindings(std::move(all), checked.severities, *checked.index, known);
  if (revision != nullptr && !AddHidden(origin, compared, check, diagnostics)) return false;
  checked.baseline = std::move(known);
  checked.times.End("rules");
  return true;
}

// Adds hidden findings of dialects that the project no longer has to those of the first dialect.
bool AddHiddenDialects(const CheckOptions& options, const Origin& origin,
                       const DialectChecks& checks, Diagnostics& diagnostics) {
  CheckOptions asked = options;
  CheckedProject& first = checks.front()->checked;
  const Project& repository = origin.repository != nullptr ? *origin.repository : *first.project;
  if (asked.against.empty() || !asked.policy_from.empty() || !asked.dialect.empty()) return true;
  const std::vector<std::string>& then = checks.front()->dialects_then;
  std::vector<std::string> gone;
  std::copy_if(then.begin(), then.end(), std::back_inserter(gone), [&](const auto& dialect) {
    return std::none_of(checks.begin(), checks.end(),
                        [&](const auto& each) { return IsDialect(each->checked, dialect); });
  });
  if (gone.empty() || (then.size() < 2 && checks.size() < 2)) return true;
  if (!ResolveAgainst(repository, asked, diagnostics)) return false;
  RevisionSettings settings(asked, repository, first.project->source());
  if (!settings.Read(asked.against, diagnostics)) return false;
  for (const std::string& dialect : gone) {
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

// Findings about comments in the source and unreadable places belong to no dialect. Reports each
// only once.
void SayOnce(const DialectChecks& checks) {
  std::set<std::tuple<std::string, Location, std::string>> said;
  for (const auto& each : checks) {
    std::erase_if(each->filtered.counted, [&](const Finding& finding) {
      return finding.op.empty() && finding.list.empty() &&
             !said.emplace(finding.rule, finding.location, finding.message).second;
    });
  }
}

// Dialects without operators are only warned about if others have some.
bool OpenAll(const CheckOptions& options, DialectChecks& checks, Diagnostics& diagnostics) {
  const std::vector<CheckOptions> all = OptionsOfDialects(options);
  std::vector<CheckedProject*> opened;
  bool any = options.allow_empty;
  for (const CheckOptions& own : all) {
    DialectCheck& check = *checks.emplace_back(std::make_unique<DialectCheck>());
    check.options = own;
    check.options.allow_empty = options.allow_empty || all.size() > 1;
    if (!OpenCheckedProject(check.options, check.checked, diagnostics)) return false;
    const std::vector<Operator>& operators = check.checked.manifest->operators;
    opened.push_back(&check.checked);
    any = any || !operators.empty();
    if (all.size() < 2 || !operators.empty()) continue;
    diagnostics.Warning({}, "no operator of dialect '" + own.dialect + "' was found",
                        "check its \"sources\" in opledger.json");
  }
  if (!any && all.size() > 1) return diagnostics.Error({}, "no operator of any dialect was found");
  ReportSuppressionsOnce(opened);
  return true;
}

}  // namespace

std::optional<DialectChecks> CheckDialects(const CheckOptions& options, const Origin& origin,
                                           Diagnostics& diagnostics) {
  DialectChecks checks;
  if (!OpenAll(options, checks, diagnostics)) return std::nullopt;
  for (const auto& each : checks) {
    if (!Judge(origin, *each, diagnostics)) return std::nullopt;
  }
  const CheckOptions& asked = origin.asked == nullptr ? options : *origin.asked;
  if (!AddHiddenDialects(asked, origin, checks, diagnostics)) return std::nullopt;
  if (checks.size() > 1) SayOnce(checks);
  return checks;
}

}  // namespace opledger
