// What is staged for the next commit, as a tree to check: a hook must not answer for what is no
// part of the commit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker/git/git_revision.h"
#include "checker/git/revision_check.h"
#include "checker/project/check_options.h"
#include "checker/project/project.h"

namespace opledger {

class StagedTree {
 public:
  // Writes what is staged of the project that `options` mean into a folder of its own, and changes
  // to it. False, with errors, where that cannot be done.
  bool Open(const CheckOptions& options, Diagnostics& diagnostics);

  // For there: outputs and lists still go where they were meant to.
  const CheckOptions& options() const { return options_; }

  // As the function of that name, in the repository.
  std::unique_ptr<RevisionCheck> CheckRevision(const std::string& revision,
                                               Diagnostics& diagnostics) const;

 private:
  RevisionFolder folder_;
  std::optional<Project> project_;  // in the repository
  CheckOptions asked_;
  CheckOptions options_;
};

}  // namespace opledger
