// Where a command works and on what: the root, its project file, the manifest (from a file or the
// scanner) and the lists, as the command line and the project file say.
// May include: checker/candidates, checker/edit, checker/filter, checker/findings, checker/index,
// checker/reports, checker/rules, checker/terminal, registry/manifest, registry/platform,
// registry/precision_list, registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/precision_list/precision_list.h"
#include "registry/project/project.h"

namespace opledger {

class Project {
 public:
  // `choice` is --config: empty for the nearest opledger.json from `start` (a folder, seen from
  // the current one) upwards, "none", or a file. The root is that file's folder, else `start`; it
  // becomes the current folder, so that every path in a message is relative to it.
  static std::optional<Project> Open(const std::string& choice, const std::string& start,
                                     Diagnostics& diagnostics);

  const std::string& root() const { return root_; }  // absolute
  const std::optional<ProjectFile>& file() const { return file_; }

  // Makes another folder (absolute) the root, and the current folder: the scanner finds out
  // where a source tree begins.
  bool MoveTo(const std::string& root, Diagnostics& diagnostics);

  // A path of the command line, which was meant from the folder the program started in, as it is
  // seen from the root: relative, also where it was absolute, since reports hold no absolute path.
  // "-" stays.
  std::string FromRoot(const std::string& path) const;

 private:
  std::string root_;
  std::string started_;  // absolute
  std::optional<ProjectFile> file_;
};

// Reads a list for checking. One of the shipped ones is shown as share/opledger/lists/..., so that
// reports are the same wherever opledger is installed.
std::optional<PrecisionList> ReadListOfProject(const std::string& path, const Project& project,
                                               Diagnostics& diagnostics);

// Whether a list that the project file names lies in the project, links followed: a repository must
// not make us show or edit files elsewhere. Otherwise an error.
bool IsOfProject(const std::string& path, const Project& project, Diagnostics& diagnostics);

// Whether the file is one that opledger ships.
bool IsShipped(const std::string& path);

}  // namespace opledger
