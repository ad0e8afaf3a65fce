// How many operators the lists of a project classified in some of its revisions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/index/coverage.h"
#include "checker/project/check_options.h"
#include "checker/project/project.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct NamedCommit {
  std::string name;  // a tag, "2023-01", or the name given by the user
  std::string id;
  std::int64_t time = 0;  // seconds since 1970
};

// Looks up a commit by any of its names. The result is named by the first 12 digits of its id, and
// by the tag if `revision` is one. Returns nullopt, with an error, if there is no such commit.
// `folder` is any folder of the repository.
std::optional<NamedCommit> FindNamedCommit(const std::string& folder, const std::string& revision,
                                           Diagnostics& diagnostics);

// Chooses commits of "A..B", "A.." or "B" (everything up to B; empty: up to HEAD), oldest first.
// `every` is "tag", "month" (the last commit of each) or "commit"; empty: tags if there are any,
// otherwise months. A and B are always included. Returns nullopt, with an error, if there is no
// such revision.
std::optional<std::vector<NamedCommit>> ChooseCommits(const std::string& folder,
                                                      const std::string& range,
                                                      const std::string& every,
                                                      Diagnostics& diagnostics);

struct ListCoverage {
  std::string list;  // label
  Coverage coverage;
  bool of_today = false;  // the revision had no such list, so today's was used

  bool operator==(const ListCoverage&) const = default;
};

// Returns the date in UTC, such as "2023-01-31".
std::string DateOf(std::int64_t time);

struct HistoryPoint {
  NamedCommit commit;
  int operators = 0;
  std::vector<ListCoverage> lists;
  bool incomplete = false;  // some of the source could not be read
};

struct History {
  std::string dialect;
  std::vector<HistoryPoint> points;
  std::vector<std::string> lists;  // all labels, in order of appearance
};

// Checks each commit. Leaves out, with a warning, commits that cannot be checked.
History MeasureHistory(const std::vector<NamedCommit>& commits, const CheckOptions& options,
                       const Project& project, Diagnostics& diagnostics);

std::string HistoryText(const History& history);
std::string HistoryMarkdown(const History& history);
std::string HistoryJson(const History& history);
std::string HistorySvg(const History& history);    // a line for each list
std::string HistoryBadge(const History& history);  // the last point, as an SVG badge

}  // namespace opledger
