// opledger diff: operators added and removed, and policies moved, as text or for a pull request.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include "checker/changes.h"
#include "checker/markdown_text.h"
#include "checker/reports.h"
#include "checker/revision_check.h"
#include "checker/terminal.h"
#include "registry/counted.h"

namespace opledger {
namespace {

// One of the two states: of a revision, a manifest, or the tree as it is.
struct State {
  std::unique_ptr<RevisionCheck> revision;
  CheckedProject checked;  // where it is none

  const CheckIndex& index() const {
    return revision != nullptr ? *revision->checked.index : *checked.index;
  }
};

bool OpenState(const std::string& name, const CheckOptions& options, const Project& project,
               State& state, Diagnostics& diagnostics) {
  CheckOptions here = options;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(project.FromRoot(name), error);
  if (!name.empty() && !is_file) {
    state.revision = CheckRevision(name, options, project, diagnostics);
    return state.revision != nullptr;
  }
  // Paths are seen from the root now, which is the current folder.
  if (is_file) here.operators = project.FromRoot(name);
  for (std::string& list : here.lists) list = project.FromRoot(list);
  return OpenCheckedProject(here, state.checked, diagnostics);
}

const char* NameOf(const std::optional<Policy>& policy) {
  return policy ? PolicyName(*policy) : "no policy";
}

std::string Place(const Operator& op) {
  return op.sites.empty() ? std::string() : ShownPlace(op.sites.front().location);
}

std::string Summary(const Changes& changes) {
  return Counted(changes.added.size(), "operator") + " added, " +
         std::to_string(changes.removed.size()) + " removed; " +
         Counted(changes.policies.size(), "policy change");
}

std::string AsText(const Changes& changes) {
  std::string text;
  for (const Operator* op : changes.added) {
    text += "+ " + Printable(op->name) + "  " + Place(*op) + '\n';
  }
  for (const Operator* op : changes.removed) {
    text += "- " + Printable(op->name) + "  " + Place(*op) + '\n';
  }
  for (const PolicyChange& change : changes.policies) {
    text += "~ " + Printable(change.op) + "  " + Printable(change.list) + ": " +
            NameOf(change.before) + " -> " + NameOf(change.after) + '\n';
  }
  return text + Summary(changes) + '\n';
}

std::string AsMarkdown(const Changes& changes) {
  std::string text = "**Operators and their precision**: " + Summary(changes) + '\n';
  if (!changes.added.empty() || !changes.removed.empty()) {
    text += "\n| | operator | where |\n|---|---|---|\n";
    const auto rows = [&](const char* what, const std::vector<const Operator*>& operators) {
      for (const Operator* op : operators) {
        text += std::string("| ") + what + " | " + MarkdownCode(op->name) + " | " +
                MarkdownCode(Place(*op)) + " |\n";
      }
    };
    rows("added", changes.added);
    rows("removed", changes.removed);
  }
  if (!changes.policies.empty()) {
    text += "\n| list | operator | before | now |\n|---|---|---|---|\n";
    for (const PolicyChange& change : changes.policies) {
      text += "| " + MarkdownCode(change.list) + " | " + MarkdownCode(change.op) + " | " +
              NameOf(change.before) + " | " + NameOf(change.after) + " |\n";
    }
  }
  return text;
}

}  // namespace

int RunDiff(const DiffOptions& options) {
  Diagnostics diagnostics;
  const std::optional<Project> project =
      Project::Open(options.check.global.project_file, ".", diagnostics);
  State before;
  State after;
  if (!project || !OpenState(options.base, options.check, *project, before, diagnostics) ||
      !OpenState(options.head, options.check, *project, after, diagnostics)) {
    return Fail(diagnostics);
  }
  const Changes changes = FindChanges(before.index(), after.index());
  const std::string text = options.format == "text" ? AsText(changes) : AsMarkdown(changes);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitClean;
}

}  // namespace opledger
