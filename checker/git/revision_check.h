// Checks a git revision of the project: its operators, lists and findings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/git/git.h"
#include "checker/project/check_options.h"
#include "checker/project/checked_project.h"
#include "checker/project/project.h"

namespace opledger {

struct RevisionCheck {
  std::vector<Submodule> submodules;
  std::set<std::string> of_today;  // files that it did not have, used as they are now
  CheckedProject checked;
  std::vector<Finding> findings;   // all findings of the rules
  std::vector<Incomplete> unseen;  // submodules that cannot be compared with today's
  // Why it cannot be checked, such as a broken list. `checked` then has no index.
  Diagnostics problems;
};

// Adapts the options of `project` to another state of it, `there`: paths are relative to the root,
// and there is no baseline. Files of the project that the state did not have yet are used as they
// are now and added to `of_today`. A project file of an earlier revision that lacks the dialect
// counts as missing. A state without operators is not an error.
enum class StateOfFiles { kEarlier, kStaged };
CheckOptions OptionsThere(const CheckOptions& options, const Project& project, const Source& there,
                          StateOfFiles state, std::set<std::string>& of_today);

// Checks a revision of the project with the same options, but with its own lists and project file.
// If --operators names a file, uses its version in the revision, or scans if the revision does not
// have it. Returns nullptr, with errors, if there is no such revision or some of it cannot be read.
std::unique_ptr<RevisionCheck> CheckRevision(const std::string& revision,
                                             const CheckOptions& options, const Project& project,
                                             Diagnostics& diagnostics);

// The staged contents of a project.
struct StagedTree {
  Project repository;
  std::vector<Submodule> submodules;
  CheckOptions options;  // options to check it with
};

// Returns nullopt, with errors, if git fails or if the check needs a file that is not staged.
std::optional<StagedTree> OpenStaged(const CheckOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
