// What a git revision of the project held: its operators, its lists and its findings.
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
  std::set<std::string> of_today;  // files that it did not have, which were taken as they are now
  CheckedProject checked;
  std::vector<Finding> findings;   // all that the rules find there
  std::vector<Incomplete> unseen;  // submodules that today's cannot be compared with
  // Why nothing can be found there, such as a list that is broken. Then `checked` has no index.
  Diagnostics problems;
};

// The options of `project` as they are meant for another state of it, `there`: paths seen from the
// root, no baseline, no project file of elsewhere. Files of the project that the state did not have
// yet are taken to have been there as they are now, and are told in `of_today`; without operators
// it is one, too. A project file of an earlier revision that does not know the dialect counts as
// one that was not there.
enum class StateOfFiles { kEarlier, kStaged };
CheckOptions OptionsThere(const CheckOptions& options, const Project& project, const Source& there,
                          StateOfFiles state, std::set<std::string>& of_today);

// Checks a revision of the project with the same options: the lists of then, the project file of
// then. Where --operators names a file it is that file as it was, and where the revision has none,
// a scan. nullptr, with errors, where there is no such revision, or part of it cannot be read.
std::unique_ptr<RevisionCheck> CheckRevision(const std::string& revision,
                                             const CheckOptions& options, const Project& project,
                                             Diagnostics& diagnostics);

// What is staged of a project.
struct StagedTree {
  Project repository;
  std::vector<Submodule> submodules;
  CheckOptions options;  // by which it is checked
};

// None, with errors: git cannot say, or the check needs a file that is not staged.
std::optional<StagedTree> OpenStaged(const CheckOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
