// The settings of a revision for the files of today: a folder that holds these files, but the
// project file, dialect and baseline of the revision, and lists with its "extends", "unlisted",
// configuration and device. What a change does to its own gate shows where the two differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "checker/git/git.h"
#include "checker/git/revision_folder.h"
#include "checker/project/checked_project.h"

namespace opledger {

class RevisionSettings {
 public:
  // `project` is open in the repository, `tree` is the folder (absolute) that holds the files of
  // today: the same, or what is staged. It must be the current folder, and is again afterwards.
  RevisionSettings(const CheckOptions& options, const Project& project, std::string tree);

  // False, with an error, where git cannot say what the revision had.
  bool Read(const std::string& revision, Diagnostics& diagnostics);
  bool found() const { return found_; }    // the revision has a project file
  bool differ() const { return differ_; }  // from those of today, in any byte

  // Whether the revision had this file otherwise, or one of the two has none.
  bool Changed(const std::string& path) const;

  // Writes the folder and opens it as a project. False, with errors, where that cannot be done.
  bool Open(CheckedProject& checked, Diagnostics& diagnostics);
  // The same as options for there, which becomes the current folder.
  std::optional<CheckOptions> MoveThere(Diagnostics& diagnostics);

 private:
  std::optional<std::string> FileThen(const std::string& path, Diagnostics& diagnostics) const;
  std::optional<std::string> FileNow(const std::string& path) const;
  void Take(const std::string& path, std::optional<std::string> then);
  void TakeList(const std::string& path, Diagnostics& diagnostics);
  bool WriteFolder(Diagnostics& diagnostics) const;

  CheckOptions options_;
  const Project& project_;
  std::string tree_;
  std::string revision_;  // the id of its tree
  std::string project_file_;
  RevisionFolder folder_;
  std::map<std::string, std::optional<std::string>> files_;  // none: the file is not there
  bool found_ = false;
  bool differ_ = false;
};

}  // namespace opledger
