// The project's lists with the rows that the framework keeps of them, while these are edited.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/edit/classify_row.h"
#include "checker/project/check_options.h"
#include "checker/project/checked_project.h"
#include "checker/project/fixes.h"
#include "checker/project/project.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

class KeptRows {
 public:
  // Scans, unless `options` name a manifest, and reads the lists at `paths` and those of the
  // project. None, with errors, where one cannot be read, or one at `paths` not in full.
  static std::optional<KeptRows> Open(const CheckOptions& options, const Project& project,
                                      const std::set<std::string>& paths, Diagnostics& diagnostics);

  // The list with that path, as edited; nullptr: it is no derived one.
  const PrecisionList* Find(const std::string& path) const;
  const std::vector<PrecisionList>& lists() const { return lists_; }

  // Edits the rows in memory; see ClassifyRow.
  std::optional<ClassifiedRow> Classify(const std::string& path, const Classification& wanted,
                                        const std::set<std::string>& named,
                                        Diagnostics& diagnostics);

  // The files that were edited, by path.
  std::map<std::string, std::string> Changed() const;
  // Reads the lists from the edited files. False, with an error, where more differs from what they
  // were than was asked for, or less.
  bool Verify(const CheckOptions& options, const Project& project, Diagnostics& diagnostics) const;
  // Writes the edited files, unless one is no longer as it was read.
  bool Write(const Project& project, Diagnostics& diagnostics) const;

 private:
  struct Asked {
    std::string list;  // path
    std::string op;
    Policy policy;
    bool stays;  // its row with this policy does, and others go
  };

  std::vector<Asked> asked_;
  std::vector<PrecisionList> unread_;  // without rows
  std::vector<PrecisionList> lists_;
  std::vector<PrecisionList> before_;
  Manifest manifest_;
};

// That the lists, read from the fixed files, have the rows that `checked` has after MakeFixes.
// False, with an error, where they do not.
bool VerifyFixes(const CheckOptions& options, const CheckedProject& checked, const Fixes& fixes,
                 Diagnostics& diagnostics);

}  // namespace opledger
