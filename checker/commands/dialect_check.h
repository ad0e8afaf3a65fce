// The check of each dialect of a project: what the rules find, without what a revision, a baseline
// or a comment takes out, and with what a change hides.
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

// What was asked for, of the files on disk: the tree that is checked may be another.
struct Origin {
  const CheckOptions* asked = nullptr;
  const Project* repository = nullptr;
  const std::vector<Submodule>* staged = nullptr;
};

// The check of one dialect. What it holds refers to each other, so that it stays where it is.
struct DialectCheck {
  CheckOptions options;
  CheckOptions asked;  // the origin's, of this dialect
  CheckedProject checked;
  Baseline kept;  // as it is in its file
  std::unique_ptr<RevisionCheck> revision;
  std::vector<std::string> dialects_then;  // of the revision's project file
  FilteredFindings filtered;
  std::size_t resolved = 0;
  Summary summary;
};
using DialectChecks = std::vector<std::unique_ptr<DialectCheck>>;

// A check for each dialect that `options` mean. None, with errors, where one of them cannot be
// checked.
std::optional<DialectChecks> CheckDialects(const CheckOptions& options, const Origin& origin,
                                           Diagnostics& diagnostics);

}  // namespace opledger
