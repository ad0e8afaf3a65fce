// Checks each dialect of a project: runs the rules, drops findings that a revision, a baseline or a
// comment excludes, and adds those that a change hides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/filter/filter.h"
#include "checker/git/revision_check.h"
#include "checker/git/submodules.h"
#include "checker/project/checked_project.h"
#include "checker/reports/summary.h"

namespace opledger {

// What the user asked for, in terms of the files on disk. The tree that is checked may be another
// one.
struct Origin {
  const CheckOptions* asked = nullptr;
  const Project* repository = nullptr;
  const std::vector<Submodule>* staged = nullptr;
};

// The check of one dialect. Its members refer to each other, so it must not be moved.
struct DialectCheck {
  CheckOptions options;
  CheckOptions asked;  // the options of the origin, for this dialect
  CheckedProject checked;
  Baseline kept;  // the baseline as in its file
  std::unique_ptr<RevisionCheck> revision;
  std::vector<std::string> dialects_then;  // of the revision's project file
  FilteredFindings filtered;
  std::size_t resolved = 0;
  Summary summary;
};
using DialectChecks = std::vector<std::unique_ptr<DialectCheck>>;

// Checks each dialect that `options` select. Returns nullopt, with errors, if one of them cannot be
// checked.
std::optional<DialectChecks> CheckDialects(const CheckOptions& options, const Origin& origin,
                                           Diagnostics& diagnostics);

}  // namespace opledger
