// Gets commits and times from rev-list and tags from for-each-ref. Checks commits in order by
// CheckRevision(), so that only what differs is read and scanned.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/history.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iterator>
#include <map>
#include <system_error>

#include "checker/git/revision_check.h"
#include "checker/git/submodules.h"
#include "checker/reports/summary.h"
#include "registry/platform/run_git.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::optional<std::string> FindCommit(const std::string& folder, const std::string& revision,
                                      Diagnostics& diagnostics) {
  std::string id;
  const bool found =
      RunGit(folder,
             {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}, "",
             id, diagnostics) == 0;
  if (found && id.size() > 40) {
    id.pop_back();
    return id;
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return diagnostics.Error({}, "there is no revision '" + revision + "' here",
                           "write A..B, or one revision for all up to it");
}

// Returns the commits without names, oldest first.
std::optional<std::vector<NamedCommit>> ListCommits(const std::string& folder,
                                                    const std::string& from, const std::string& to,
                                                    bool first_parents, Diagnostics& diagnostics) {
  std::vector<std::string> arguments = {"rev-list", "--timestamp", "--topo-order", "--reverse"};
  if (first_parents) arguments.emplace_back("--first-parent");
  arguments.push_back(to);
  if (!from.empty()) arguments.push_back("^" + from);
  std::vector<NamedCommit> commits;
  const TakeRecord take = [&](std::string_view line) {  // "TIME ID"
    NamedCommit& commit = commits.emplace_back();
    const char* const end = line.data() + line.size();
    const auto time = std::from_chars(line.data(), end, commit.time);
    commit.id = line.substr(std::min(line.find(' ') + 1, line.size()));
    return time.ec == std::errc() && !commit.id.empty();
  };
  constexpr GitRecords kCommits = {'\n', 4'000'000};
  if (ReadGit(folder, arguments, kCommits, take, diagnostics) == 0) return commits;
  if (GitTrouble()) return std::nullopt;
  return diagnostics.Error({}, "git cannot list the commits",
                           "if the clone is shallow, run `git fetch --unshallow`");
}

// Returns the tag of each commit. Of several tags, the last by version wins.
std::map<std::string, std::string> ReadTags(const std::string& folder, Diagnostics& diagnostics) {
  std::map<std::string, std::string> tags;
  const TakeRecord take = [&](std::string_view line) {  // "ID NAME"
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos)
      tags[std::string(line.substr(0, space))] = line.substr(space + 1);
    return true;
  };
  ReadGit(folder,
          {"for-each-ref", "--sort=v:refname",
           "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) "
           "%(refname:strip=2)",
           "refs/tags"},
          {}, take, diagnostics);
  return tags;
}

// Keeps the last commit of each month.
std::vector<NamedCommit> Monthly(const std::vector<NamedCommit>& commits) {
  std::vector<NamedCommit> chosen;
  for (NamedCommit commit : commits) {
    commit.name = DateOf(commit.time).substr(0, 7);
    if (!chosen.empty() && chosen.back().name == commit.name) chosen.pop_back();
    chosen.push_back(std::move(commit));
  }
  return chosen;
}

struct RevisionRange {
  std::string from;  // empty: from the first commit
  std::string to;
};

RevisionRange ParseRange(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {"", text.empty() ? "HEAD" : text};
  const std::string to = text.substr(dots + 2);
  return {text.substr(0, dots), to.empty() ? "HEAD" : to};
}

}  // namespace

std::string DateOf(std::int64_t time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm fields = {};
  char text[sizeof "2023-01-31"] = "";
  if (gmtime_r(&seconds, &fields) != nullptr) std::strftime(text, sizeof text, "%F", &fields);
  return text;
}

std::optional<NamedCommit> FindNamedCommit(const std::string& folder, const std::string& revision,
                                           Diagnostics& diagnostics) {
  const auto id = FindCommit(folder, revision, diagnostics);
  if (!id) return std::nullopt;
  const auto commits = ListCommits(folder, "", *id, true, diagnostics);
  if (!commits || commits->empty()) return std::nullopt;
  NamedCommit commit = commits->back();
  commit.name = commit.id.substr(0, 12);
  const std::map<std::string, std::string> tags = ReadTags(folder, diagnostics);
  if (const auto tag = tags.find(*id); tag != tags.end()) {
    commit.name = tag->second + " (" + commit.name + ")";
  }
  return commit;
}

std::optional<std::vector<NamedCommit>> ChooseCommits(const std::string& folder,
                                                      const std::string& range,
                                                      const std::string& every,
                                                      Diagnostics& diagnostics) {
  const RevisionRange ends = ParseRange(range);
  const auto to = FindCommit(folder, ends.to, diagnostics);
  const auto from = ends.from.empty() ? std::optional<std::string>(std::string())
                                      : FindCommit(folder, ends.from, diagnostics);
  if (!to || !from) return std::nullopt;
  const std::map<std::string, std::string> tags = ReadTags(folder, diagnostics);
  std::optional<std::vector<NamedCommit>> all = ListCommits(folder, *from, *to, false, diagnostics);
  if (!all) return std::nullopt;
  std::vector<NamedCommit> chosen;
  if (every.empty() || every == "tag") {
    std::copy_if(all->begin(), all->end(), std::back_inserter(chosen),
                 [&](const NamedCommit& commit) { return tags.contains(commit.id); });
  }
  if (every == "month" || every == "commit" || (every.empty() && chosen.empty())) {
    all = ListCommits(folder, *from, *to, true, diagnostics);
    if (!all) return std::nullopt;
    chosen = every == "commit" ? *all : Monthly(*all);
  }
  if (!from->empty()) {
    const auto first = ListCommits(folder, "", *from, true, diagnostics);
    if (!first || first->empty()) return std::nullopt;
    chosen.insert(chosen.begin(), first->back());
    chosen.front().name = ends.from;
  }
  if (chosen.empty() || chosen.back().id != *to) {
    const auto last = std::find_if(all->begin(), all->end(),
                                   [&](const NamedCommit& commit) { return commit.id == *to; });
    if (last != all->end()) chosen.push_back({ends.to, last->id, last->time});
  }
  for (NamedCommit& commit : chosen) {
    if (commit.name.empty()) commit.name = commit.id.substr(0, 12);
    if (const auto tag = tags.find(commit.id); tag != tags.end()) commit.name = tag->second;
  }
  return chosen;
}

History MeasureHistory(const std::vector<NamedCommit>& commits, const CheckOptions& options,
                       const Project& project, Diagnostics& diagnostics) {
  History history;
  for (const NamedCommit& commit : commits) {
    const auto check = CheckRevision(commit.id, options, project, diagnostics);
    if (check == nullptr) return history;
    if (check->checked.index == nullptr) {
      const Diagnostic& why = check->problems.all().front();
      diagnostics.Warning({}, commit.name + " is left out: " + why.message, why.hint);
      continue;
    }
    const Summary summary = Summarise(*check->checked.index);
    HistoryPoint& point = history.points.emplace_back();
    point.commit = commit;
    point.operators = summary.operators;
    const bool unseen = !FindUnseen({}, check->submodules, "", options, check->checked).empty();
    point.incomplete = unseen || !check->checked.manifest->IsWhole();
    history.dialect = summary.dialect;
    for (const ListSummary& list : summary.lists) {
      // Lists that are not part of the revision are today's.
      const bool of_today = check->of_today.contains(list.path) || list.path.starts_with("../") ||
                            list.path.starts_with("share/opledger/");
      point.lists.push_back(
          {list.label,
           {list.classified, list.unlisted, list.unlisted_policy, list.unclassified},
           of_today});
      if (std::find(history.lists.begin(), history.lists.end(), list.label) ==
          history.lists.end()) {
        history.lists.push_back(list.label);
      }
    }
  }
  return history;
}

}  // namespace opledger
