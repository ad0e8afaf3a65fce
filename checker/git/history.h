// How much of a project its lists classified, at some of its revisions.
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
  std::string name;  // a tag, "2023-01", or what the user called it
  std::string id;
  std::int64_t time = 0;  // seconds since 1970
};

// Looks up a commit by any of its names. The result is named by the first 12 digits of its id, and
// by the tag if `revision` is one. Nullopt, with an error, if there is no such commit. `folder` is
// any folder of the repository.
std::optional<NamedCommit> FindNamedCommit(const std::string& folder, const std::string& revision,
                                           Diagnostics& diagnostics);

// Of "A..B", "A.." or "B" (everything up to it; empty: to HEAD), oldest first: `every` "tag",
// "month" (the last commit of each) or "commit"; empty: tags where there are some, else months. A
// and B always. None, with an error, where there is no such revision.
std::optional<std::vector<NamedCommit>> ChooseCommits(const std::string& folder,
                                                      const std::string& range,
                                                      const std::string& every,
                                                      Diagnostics& diagnostics);

struct ListCoverage {
  std::string list;  // its label
  Coverage coverage;
  bool of_today = false;  // the revision had no such list: it is held against today's

  bool operator==(const ListCoverage&) const = default;
};

// "2023-01-31", of UTC.
std::string DateOf(std::int64_t time);

struct HistoryPoint {
  NamedCommit commit;
  int operators = 0;
  std::vector<ListCoverage> lists;
  bool incomplete = false;  // part of its source could not be read
};

struct History {
  std::string dialect;
  std::vector<HistoryPoint> points;
  std::vector<std::string> lists;  // every label, in order of appearance
};

// Checks each of the commits. One that cannot be checked is left out, with a warning.
History MeasureHistory(const std::vector<NamedCommit>& commits, const CheckOptions& options,
                       const Project& project, Diagnostics& diagnostics);

std::string HistoryText(const History& history);
std::string HistoryMarkdown(const History& history);
std::string HistoryJson(const History& history);
std::string HistorySvg(const History& history);    // a line for each list
std::string HistoryBadge(const History& history);  // the last point, as SVG for a README

}  // namespace opledger
