// The settings of a revision for the files of today: these files below the project file, dialect
// and baseline of the revision, and lists with its "extends", "unlisted", configuration and device.
// What a change does to its own gate shows where the two differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "checker/project/checked_project.h"
#include "registry/source/source.h"

namespace opledger {

class RevisionSettings {
 public:
  // `tree`: the files of today as seen from the project's root, those of `repository` or what is
  // staged of it.
  RevisionSettings(const CheckOptions& options, const Project& repository, Source tree);

  // False, with an error, where git cannot say what the revision had.
  bool Read(const std::string& revision, Diagnostics& diagnostics);
  bool found() const { return found_; }    // the revision has a project file
  bool differ() const { return differ_; }  // from those of today, in any byte

  // Whether the revision had this file otherwise, or one of the two has none.
  bool Changed(const std::string& path) const;

  // The names of the dialects that the revision's project file has; of one only, as it stands
  // there, which is empty where it names none.
  std::vector<std::string> Dialects() const;

  // The options by which the files of today are checked with these settings.
  CheckOptions OptionsThere() const;
  // The same for a dialect, by its name, that the revision's project file has.
  CheckOptions OptionsFor(const std::string& dialect) const;

 private:
  std::optional<std::string> FileThen(const std::string& path, Diagnostics& diagnostics) const;
  std::optional<std::string> FileNow(const std::string& path) const;
  void Take(const std::string& path, std::optional<std::string> then);
  void TakeList(const std::string& path, Diagnostics& diagnostics);

  const CheckOptions& options_;
  const Project& repository_;
  Source tree_;
  std::optional<Source> then_;
  std::string project_file_;
  std::optional<ProjectFile> file_;                          // the revision's
  std::map<std::string, std::optional<std::string>> files_;  // none: the file is not there
  bool found_ = false;
  bool differ_ = false;
};

}  // namespace opledger
