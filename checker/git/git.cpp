// Uses rev-parse for trees, ls-tree for their files and ls-files for the index.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checker/git/git_output.h"
#include "registry/platform/run_git.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// Returns true, with an error in diagnostics, if git does not answer.
bool ReportGitTrouble(Diagnostics& diagnostics) {
  const std::optional<Diagnostic> trouble = GitTrouble();
  if (trouble) diagnostics.Add(*trouble);
  return trouble.has_value();
}

// Reports an error if several branches or tags have this name and are different commits. Otherwise
// whoever pushes one of them could choose what is compared.
bool IsOneCommit(const std::string& folder, const std::string& revision, Diagnostics& diagnostics) {
  const std::vector<std::string> kinds = {"refs/tags/", "refs/heads/", "refs/remotes/"};
  std::vector<std::string> arguments = {"for-each-ref",
                                        "--format=%(refname) %(objectname) %(*objectname)"};
  for (const std::string& kind : kinds) arguments.push_back(kind + revision);
  if (revision == "HEAD") return true;
  std::vector<std::string> names;
  std::set<std::string> commits;
  const TakeRecord take = [&](std::string_view line) {
    const std::vector<std::string_view> words = SplitAt(line, ' ');
    const bool is_it =
        words.size() == 3 && std::any_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
          return words[0] == kind + revision;
        });
    if (is_it) {
      names.emplace_back(words[0]);
      commits.emplace(words[words[2].empty() ? 1 : 2]);
    }
    return true;
  };
  Diagnostics unsaid;  // FindTree() reports that git is missing
  if (ReadGit(folder, arguments, {}, take, unsaid) != 0) return !ReportGitTrouble(diagnostics);
  if (commits.size() < 2) return true;
  return diagnostics.Error(
      {}, "'" + revision + "' is ambiguous, it names several commits: " + Join(names, ", "),
      "give the full name of the intended one, or remove the others");
}

}  // namespace

std::optional<std::string> FindTree(const std::string& folder, const std::string& revision,
                                    Diagnostics& diagnostics) {
  std::string tree;
  const auto git = [&](const std::vector<std::string>& arguments) {
    return RunGit(folder, arguments, "", tree, diagnostics) == 0;
  };
  if (!IsOneCommit(folder, revision, diagnostics)) return std::nullopt;
  const std::string name = revision + "^{commit}^{tree}";
  if (git({"rev-parse", "--verify", "--quiet", "--end-of-options", name}) && tree.size() > 40) {
    tree.pop_back();
    return tree;
  }
  if (diagnostics.has_errors()) return std::nullopt;
  // Before the first commit, HEAD names a branch that does not exist yet.
  if (revision == "HEAD" && git({"symbolic-ref", "--quiet", "HEAD"})) return std::string();
  return diagnostics.Error({}, "there is no revision '" + revision + "' here",
                           "name a commit, branch or tag of the git repository that holds the "
                           "project; a shallow clone may not have it");
}

std::optional<std::string> FindMergeBase(const std::string& folder, const std::string& revision,
                                         Diagnostics& diagnostics) {
  if (revision.empty() || revision == "HEAD") return revision;
  std::string commit;
  std::string base;
  Diagnostics ignored;  // FindTree() reports these errors
  const auto git = [&](const std::vector<std::string>& arguments, std::string& output) {
    const bool ok = RunGit(folder, arguments, "", output, ignored) == 0;
    output.resize(std::min(output.find('\n'), output.size()));
    return ok;
  };
  const std::string name = revision + "^{commit}";
  if (!git({"rev-parse", "--verify", "--quiet", "--end-of-options", name}, commit)) return revision;
  if (git({"merge-base", commit, "HEAD"}, base)) {
    if (base == commit) return revision;
    std::string shorter;
    return git({"rev-parse", "--short=12", base}, shorter) ? shorter : base;
  }
  std::string shallow;
  git({"rev-parse", "--is-shallow-repository"}, shallow);
  if (shallow != "true") return revision;
  return diagnostics.Error(
      {}, "this shallow clone has no commit that '" + revision + "' and HEAD have in common",
      "fetch the history with `git fetch --unshallow`, or check out with `fetch-depth: 0`");
}

std::string FindUpstream(const std::string& folder) {
  std::string name;
  Diagnostics ignored;
  const TakeRecord take = [&](std::string_view line) {
    if (line.starts_with('*')) name = line.substr(1);
    return true;
  };
  const std::vector<std::string> arguments = {"for-each-ref", "--format=%(HEAD)%(upstream:short)",
                                              "refs/heads/"};
  return ReadGit(folder, arguments, {}, take, ignored) == 0 ? name : std::string();
}

std::optional<TreeListing> ListTree(const std::string& folder, const std::string& tree,
                                    const std::string& revision, Diagnostics& diagnostics) {
  if (tree.empty()) return TreeListing{};
  auto listing = ListFiles(folder, {"ls-tree", "-r", "-z", tree}, diagnostics);
  if (listing) {
    return TreeListing{tree, "'" + revision + "'", std::move(listing->files),
                       std::move(listing->submodules)};
  }
  if (GitTrouble()) return std::nullopt;
  return diagnostics.Error({}, "cannot read the files of '" + revision + "'");
}

void WarnOfSparseCheckout(const std::string& folder, Diagnostics& diagnostics) {
  std::string output;
  Diagnostics ignored;
  if (RunGit(folder, {"config", "--bool", "core.sparseCheckout"}, "", output, ignored) != 0) return;
  std::size_t left_out = 0;
  const TakeRecord take = [&](std::string_view file) {
    left_out += file.starts_with("S ") ? 1 : 0;
    return true;
  };
  if (output != "true\n") return;
  if (ReadGit(folder, {"ls-files", "-t", "-z"}, {'\0'}, take, ignored) != 0 || left_out == 0)
    return;
  diagnostics.Warning(
      {},
      "the working tree is a sparse checkout, without " + Counted(left_out, "file") +
          " that git has: the operators in them count as removed",
      "check with --staged, which reads them, or add their folders with `git sparse-checkout add`");
}

std::optional<TreeListing> ListStaged(const std::string& folder, Diagnostics& diagnostics) {
  std::string first;
  const TakeRecord take = [&](std::string_view record) {
    if (first.empty()) first = record;
    return true;
  };
  const std::vector<std::string> unmerged = {"ls-files", "--unmerged", "-z"};
  if (ReadGit(folder, unmerged, {'\0'}, take, diagnostics) == 0 && !first.empty()) {
    return diagnostics.Error({first.substr(first.find('\t') + 1), 0, 0, 0, 0},
                             "this file has an unresolved merge conflict",
                             "resolve it and `git add` it");
  }
  if (diagnostics.has_errors()) return std::nullopt;
  if (auto listing = ListFiles(folder, {"ls-files", "--stage", "-z"}, diagnostics)) {
    return TreeListing{"", "the index", std::move(listing->files), std::move(listing->submodules)};
  }
  if (!diagnostics.has_errors()) {
    diagnostics.Error({}, "cannot read what is staged", "run this in a git repository");
  }
  return std::nullopt;
}

}  // namespace opledger
