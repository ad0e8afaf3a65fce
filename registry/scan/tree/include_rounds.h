// Visits the files of a scan in rounds: its units, then the new files that these include, and so
// on. All code that collects outlines uses these rounds, so that files are always in the same
// order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Adds the definitions and includes of the unit's command line to its outline, before its text.
void AddCommandLine(SourceFile& unit);

class IncludeRounds {
 public:
  explicit IncludeRounds(SourceTree& tree) : tree_(tree) {}

  // Adds the units (path -> command line) to the tree and returns them. Reports units that do not
  // exist in `incomplete`.
  std::vector<int> First(const std::map<std::string, CommandLine>& units,
                         std::vector<Incomplete>& incomplete);
  // Returns the files that those of a round, which have outlines now, include for the first time.
  std::vector<int> Next(const std::vector<int>& round);

  // Returns the first file that includes a file that is not regular; -1 if there is none.
  int IncluderOf(int irregular) const;

 private:
  void Follow(int file, std::vector<int>& next);

  SourceTree& tree_;
  std::vector<bool> seen_;
  std::unordered_map<int, int> includer_;  // by file that is not regular
};

}  // namespace opledger::scan
