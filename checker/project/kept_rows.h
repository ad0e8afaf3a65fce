// Edits the rows of the project's lists that the framework keeps.
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
  // project. Returns nullopt, with errors, if a list cannot be read, or if one at `paths` is
  // incomplete.
  static std::optional<KeptRows> Open(const CheckOptions& options, const Project& project,
                                      const std::set<std::string>& paths, Diagnostics& diagnostics);

  // Returns the list at the path, as edited, or nullptr if it is not a derived list.
  const PrecisionList* Find(const std::string& path) const;
  const std::vector<PrecisionList>& lists() const { return lists_; }

  // Edits the rows in memory; see ClassifyRow().
  std::optional<ClassifiedRow> Classify(const std::string& path, const Classification& wanted,
                                        const std::set<std::string>& named,
                                        Diagnostics& diagnostics);

  // Returns the texts of the edited files by path.
  std::map<std::string, std::string> Changed() const;
  // Reads the lists from the edited files. Returns false, with an error, if they differ from the
  // original ones by more or less than the requested changes.
  bool Verify(const CheckOptions& options, const Project& project, Diagnostics& diagnostics) const;
  // Writes the edited files. Returns false, with an error, if one has changed since it was read or
  // cannot be written.
  bool Write(const Project& project, Diagnostics& diagnostics) const;

 private:
  struct Asked {
    std::string list;  // path of the list
    std::string op;
    Policy policy;
    bool stays;  // the row with this policy stays; others are removed
  };

  std::vector<Asked> asked_;
  std::vector<PrecisionList> unread_;  // without rows
  std::vector<PrecisionList> lists_;
  std::vector<PrecisionList> before_;
  Manifest manifest_;
};

// Checks that the lists read from the fixed files have the same rows as those in `checked` after
// MakeFixes(). Returns false, with an error, if not.
bool VerifyFixes(const CheckOptions& options, const CheckedProject& checked, const Fixes& fixes,
                 Diagnostics& diagnostics);

}  // namespace opledger
