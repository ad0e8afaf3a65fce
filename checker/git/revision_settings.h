// Applies the settings of a revision to today's files: its project file, dialect and baseline, and
// the header fields of its lists, such as "extends", "unlisted", configuration and device.
// Comparing both results shows how a change affects its own checks.
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
  // `tree` holds today's files, relative to the project's root: those of `repository`, or what is
  // staged there.
  RevisionSettings(const CheckOptions& options, const Project& repository, Source tree);

  // Returns false, with an error, if git cannot read the revision.
  bool Read(const std::string& revision, Diagnostics& diagnostics);
  bool found() const { return found_; }    // the revision has a project file
  bool differ() const { return differ_; }  // any byte differs from today's settings

  // Returns whether the file differs from the revision's, or exists in one of the states only.
  bool Changed(const std::string& path) const;

  // Returns the names of the dialects in the revision's project file. A single dialect is returned
  // as written, which is "" if the file names none.
  std::vector<std::string> Dialects() const;

  // Returns the options to check today's files with these settings.
  CheckOptions OptionsThere() const;
  // Like OptionsThere, for one dialect of the revision's project file.
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
  std::optional<ProjectFile> file_;                          // of the revision
  std::map<std::string, std::optional<std::string>> files_;  // nullopt: no such file
  bool found_ = false;
  bool differ_ = false;
};

}  // namespace opledger
