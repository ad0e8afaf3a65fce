// Where a command works and on what: the root, its project file, the manifest (from a file or the
// scanner) and the lists, as the command line and the project file say.
// May include: checker/candidates, checker/edit, checker/filter, checker/findings, checker/index,
// checker/reports, checker/rules, checker/terminal, registry/dialect, registry/files,
// registry/json, registry/list_source, registry/manifest, registry/platform,
// registry/precision_list, registry/project, registry/python, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/project/check_options.h"
#include "registry/files/file_edit.h"
#include "registry/files/output_files.h"
#include "registry/precision_list/precision_list.h"
#include "registry/project/project.h"

namespace opledger {

class Project {
 public:
  // --config of `global` is empty for the nearest opledger.json from `start` (a folder, seen from
  // where the command line's paths are) upwards, "none", or a file. The root is that file's folder,
  // else `start`; every path in a message is relative to it.
  static std::optional<Project> Open(const GlobalOptions& global, const std::string& start,
                                     Diagnostics& diagnostics);

  const Source& source() const { return source_; }            // its files, as seen from the root
  const std::string& root() const { return source_.root(); }  // absolute
  // With several dialects, as the chosen one sees it.
  const std::optional<ProjectFile>& file() const { return file_; }

  // Whether its file names dialects, so that an operator is known by its dialect, too.
  bool NamesDialects() const { return file_ && !file_->dialects.empty(); }

  // Takes one of several dialects, by its name or by a path of the command line. `dialect` may be
  // empty where there is only one. False, with an error, where it is not clear which one is meant.
  bool Choose(const std::string& dialect, Diagnostics& diagnostics);

  // Makes another folder (absolute) the root: the scanner finds out where a source tree begins.
  void MoveTo(const std::string& root) { source_ = source_.At(root); }

  // A path of the command line as it is seen from the root: relative, also where it was absolute,
  // since reports hold no absolute path. "-" stays.
  std::string FromRoot(const std::string& path) const;

  // Writes a file that is seen from the root. `below`: something in the project names it, so that
  // it may not lead out.
  bool Write(const std::string& path, bool below, std::string_view text,
             Diagnostics& diagnostics) const;
  // The same for a file that is there, to be read, changed and put back while it is locked.
  std::optional<FileEdit> Edit(const std::string& path, bool below, Diagnostics& diagnostics) const;

 private:
  Project(Source here, Source source) : here_(std::move(here)), source_(std::move(source)) {}

  Source here_;
  Source source_;
  std::optional<ProjectFile> whole_;  // of all its dialects
  std::optional<ProjectFile> file_;
};

// False, with an error: one of the outputs is a file that is read: the project file, a dialect, a
// list, the baseline or the evidence that it names, or one of `read`, paths of the command line.
bool CheckOutputs(const Project& project, std::vector<std::string> read,
                  const std::vector<OutputFile>& outputs, Diagnostics& diagnostics);

// Reads a list for checking. One of the shipped ones is shown as share/opledger/lists/..., so that
// reports are the same wherever opledger is installed.
std::optional<PrecisionList> ReadListOfProject(const std::string& path, const Project& project,
                                               Diagnostics& diagnostics);

// Whether a list that the project file names lies in the project, links followed: a repository must
// not make us show or edit files elsewhere. Otherwise an error.
bool IsOfProject(const std::string& path, const Project& project, Diagnostics& diagnostics);

// Whether the file, by its absolute path, is one that opledger ships.
bool IsShipped(const std::string& path);

}  // namespace opledger
