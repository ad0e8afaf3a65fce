// What a git revision of the project held: its operators, its lists and its findings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker/git/revision_folder.h"
#include "checker/project/check_options.h"
#include "checker/project/checked_project.h"
#include "checker/project/project.h"

namespace opledger {

struct RevisionCheck {
  RevisionFolder folder;  // where its files are while this lives
  CheckedProject checked;
  std::vector<Finding> findings;   // all that the rules find there
  std::vector<Incomplete> unseen;  // submodules that today's cannot be compared with
  // Why nothing can be found there, such as a list that is broken. Then `checked` has no index.
  Diagnostics problems;
};

// The options of `project` as they are meant in a folder that holds another state of it: paths seen
// from the root, no baseline, no project file of elsewhere. Files of the project that the state
// did not have yet are taken to have been there as they are now; without operators it is one, too.
CheckOptions OptionsThere(const CheckOptions& options, const Project& project,
                          const std::string& folder);

// Checks the revision of the project that is open, whose root is the current folder, with the same
// options: the lists of then, the project file of then. Where --operators names a file it is that
// file as it was, and where the revision has none, a scan. nullptr, with errors, where there is no
// such revision, or its files cannot be taken out of git. The current folder, which may be another
// than the project's, stays. `folder`: where the files are already.
std::unique_ptr<RevisionCheck> CheckRevision(const std::string& revision,
                                             const CheckOptions& options, const Project& project,
                                             Diagnostics& diagnostics, RevisionFolder folder = {});

// Whether a dialect is a file, and not the name of a shipped one.
bool IsDialectFile(const std::string& dialect);

// As --output-format, with files that are meant from another current folder, too.
std::vector<std::string> AbsoluteFormats(const std::vector<std::string>& formats);

class StagedTree {
 public:
  // Writes what is staged of the project that `options` mean into a folder of its own, and changes
  // to it. False, with errors, where that cannot be done.
  bool Open(const CheckOptions& options, Diagnostics& diagnostics);

  // For there: outputs and lists still go where they were meant to.
  const CheckOptions& options() const { return options_; }

  const Project& repository() const { return *project_; }
  // The files of the revision to compare with, which were taken first.
  RevisionFolder& against() { return against_; }
  const std::vector<Submodule>& submodules() const { return folder_.submodules(); }

 private:
  RevisionFolder folder_;
  RevisionFolder against_;          // of the revision to compare with, until it is checked
  std::optional<Project> project_;  // in the repository
  CheckOptions options_;
};

}  // namespace opledger
