// opledger diff: shows added and removed operators and changed policies, as text or Markdown.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/git/changes.h"
#include "checker/git/revision_check.h"
#include "checker/git/submodules.h"
#include "checker/project/list_choice.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

struct DiffOptions : CheckOptions {
  std::string base;  // a git revision or a manifest
  std::string head;  // likewise; empty: the working tree
  bool merge_base = false;
  std::string format = "text";
  std::string source_url;
};

// One of the two states: a revision, a manifest, or the working tree.
struct State {
  std::unique_ptr<RevisionCheck> revision;
  CheckedProject checked;  // if this is not a revision

  CheckedProject& project() {
    RevisionCheck* const of_revision = revision.get();
    return of_revision != nullptr ? of_revision->checked : checked;
  }
  const CheckIndex& index() const {
    return revision != nullptr ? *revision->checked.index : *checked.index;
  }
};

bool OpenState(const std::string& name, const CheckOptions& options, const Project& project,
               State& state, Diagnostics& diagnostics) {
  CheckOptions here = options;
  const bool is_file = options.global.here.Examine(name).kind == PathKind::kFile;
  if (!name.empty() && !is_file) {
    state.revision = CheckRevision(name, options, project, diagnostics);
    if (state.revision == nullptr) return false;
    for (const Diagnostic& each : state.revision->problems.all()) diagnostics.Add(each);
    return state.revision->problems.all().empty();
  }
  if (is_file) here.operators = name;
  return OpenCheckedProject(here, state.checked, diagnostics);
}

// Ignores operators of submodules that are missing in one of the two states.
void LeaveOutUnseen(const DiffOptions& options, State& before, State& after, Changes& changes) {
  if (before.revision == nullptr) return;
  const std::vector<Submodule>& base = before.revision->submodules;
  CheckedProject& now = after.project();
  const std::vector<Incomplete> unseen =
      FindUnseen(base,
                 after.revision != nullptr ? after.revision->submodules
                                           : SubmodulesOfWorkTree(now.project->root(), base),
                 options.base, options, now);
  const auto is_unseen = [&](const Operator* op) {
    return !op->sites.empty() &&
           std::all_of(op->sites.begin(), op->sites.end(),
                       [&](const auto& site) { return IsUnseen(unseen, site.location.path); });
  };
  std::erase_if(changes.added, is_unseen);
  std::erase_if(changes.removed, is_unseen);
  now.manifest->incomplete.insert(now.manifest->incomplete.begin(), unseen.begin(), unseen.end());
}

int RunDiff(const DiffOptions& asked) {
  Diagnostics diagnostics;
  std::optional<Project> project = Project::Open(asked.global, ".", diagnostics);
  const auto is_file = [&](const std::string& name) {
    return asked.global.here.Examine(name).kind == PathKind::kFile;
  };
  const bool scans = !is_file(asked.base) || !is_file(asked.head);
  if (project && scans && !project->Choose(asked.dialect, diagnostics)) return Fail(diagnostics);
  if (project && !AreLabels(asked.lists, *project, diagnostics)) return Fail(diagnostics);
  DiffOptions options = asked;
  static_cast<CheckOptions&>(options) = OptionsOfDialects(asked).front();
  const auto link =
      project ? ChooseSourceLink(options.source_url, *project, diagnostics) : std::nullopt;
  if (!link) return Fail(diagnostics);
  State before;
  State after;
  if (options.merge_base && !is_file(options.base)) {
    const auto base = FindMergeBase(project->root(), options.base, diagnostics);
    if (!base) return Fail(diagnostics);
    options.base = *base;
  }
  if (!OpenState(options.base, options, *project, before, diagnostics) ||
      !OpenState(options.head, options, *project, after, diagnostics)) {
    return Fail(diagnostics);
  }
  Changes changes = FindChanges(before.index(), after.index());
  LeaveOutUnseen(options, before, after, changes);
  const std::string text =
      options.format == "text" ? ChangesText(changes) : ChangesMarkdown(changes, *link);
  Print(text);
  for (const State* state : {&before, &after}) {
    const Manifest& manifest = state->index().manifest();
    if (manifest.IsWhole()) continue;
    const Incomplete& first = manifest.incomplete.front();
    diagnostics.Warning(first.location, "the scan is incomplete: " + first.detail,
                        "operators that were not read are shown as neither added nor removed");
  }
  Show(diagnostics);
  return before.index().manifest().IsWhole() && after.index().manifest().IsWhole()
             ? kExitClean
             : kExitIncomplete;
}

VerbCall PrepareDiff() {
  auto options = std::make_shared<DiffOptions>();
  return MakeCall(
      options,
      Joined(
          {{"BASE", "", "A git revision or a manifest", &options->base, {}, true},
           {"HEAD", "", "A git revision or a manifest; default: the working tree", &options->head},
           {"--merge-base", "", "Compare with the commit at which HEAD branched off from BASE",
            &options->merge_base},
           {"--format",
            "FORMAT",
            "The output format; default: text",
            &options->format,
            {"text", "markdown"}},
           SourceUrlOption(options->source_url)},
          Joined(SourceOptions(*options), {NoCacheOption(*options)})),
      RunDiff);
}

}  // namespace

extern const Command kDiffCommand = {
    "diff", "List the operators and policies that changed since a revision",
    "Examples:\n"
    "  opledger diff origin/main\n"
    "      what the working tree adds, removes and moves\n"
    "  opledger diff old-operators.json --format markdown\n"
    "      for a comment on a pull request",
    PrepareDiff};

}  // namespace opledger
