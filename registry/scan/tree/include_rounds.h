// The files of a scan in rounds: its units, then what they include that is new, and so on. Every
// way to come by outlines goes through these rounds, so that files are always in the same order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Puts what the unit's command line defines and includes before its text, into its outline.
void AddCommandLine(SourceFile& unit);

class IncludeRounds {
 public:
  explicit IncludeRounds(SourceTree& tree) : tree_(tree) {}

  // The units (path -> defines), put into the tree; those that do not exist go to `incomplete`.
  std::vector<int> First(const std::map<std::string, CommandLine>& units,
                         std::vector<Incomplete>& incomplete);
  // What the files of a round, which have outlines now, include for the first time.
  std::vector<int> Next(const std::vector<int>& round);

  // The first file that includes something that is not a regular file; -1: none.
  int IncluderOf(int irregular) const;

 private:
  void Follow(int file, std::vector<int>& next);

  SourceTree& tree_;
  std::vector<bool> seen_;
  std::unordered_map<int, int> includer_;  // of what is not a regular file
};

}  // namespace opledger::scan
