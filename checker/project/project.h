// The project that a command works on, as the command line and the project file say: the root, its
// project file, the manifest (from a file or the scanner) and the lists.
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
  // global.project_file (--config) is a file, "none", or "" for the nearest opledger.json in
  // `start` or above. `start` is relative to the paths of the command line. The root is the folder
  // of the file, otherwise `start`. Paths in messages are relative to the root.
  static std::optional<Project> Open(const GlobalOptions& global, const std::string& start,
                                     Diagnostics& diagnostics);

  const Source& source() const { return source_; }            // files relative to the root
  const std::string& root() const { return source_.root(); }  // absolute
  // With several dialects, the settings of the chosen one.
  const std::optional<ProjectFile>& file() const { return file_; }

  // Returns whether the project file has "dialects", so that operators are identified by dialect,
  // too.
  bool NamesDialects() const { return file_ && !file_->dialects.empty(); }

  // Chooses one of several dialects by name or by a path of the command line. `dialect` may be
  // empty if there is only one. Returns false, with an error, if the choice is ambiguous.
  bool Choose(const std::string& dialect, Diagnostics& diagnostics);

  // Changes the root to another absolute folder. The scanner finds the root of a source tree.
  void MoveTo(const std::string& root) { source_ = source_.At(root); }

  // Converts a path of the command line to one relative to the root, even if it is absolute,
  // because reports contain no absolute paths. Keeps "-".
  std::string FromRoot(const std::string& path) const;

  // Writes a file whose path is relative to the root. If `below` is true, because the project names
  // the file, it must not be outside the root. Returns false, with an error, on failure.
  bool Write(const std::string& path, bool below, std::string_view text,
             Diagnostics& diagnostics) const;
  // Opens an existing file to change it while it is locked. `below` as for Write. Returns nullopt,
  // with an error, on failure.
  std::optional<FileEdit> Edit(const std::string& path, bool below, Diagnostics& diagnostics) const;

 private:
  Project(Source here, Source source) : here_(std::move(here)), source_(std::move(source)) {}

  Source here_;
  Source source_;
  std::optional<ProjectFile> whole_;  // with all its dialects
  std::optional<ProjectFile> file_;
};

// Returns false, with an error, if an output is a file that is read: the project file, a dialect,
// list, baseline or evidence that it names, or one of `read`, which are paths of the command line.
bool CheckOutputs(const Project& project, std::vector<std::string> read,
                  const std::vector<OutputFile>& outputs, Diagnostics& diagnostics);

// Reads a list to check. A shipped list is shown as share/opledger/lists/..., so that reports do
// not depend on the installation.
std::optional<PrecisionList> ReadListOfProject(const std::string& path, const Project& project,
                                               Diagnostics& diagnostics);

// Returns whether a list named by the project file is inside the project after resolving links.
// Otherwise reports an error: an untrusted repository must not make opledger show or edit other
// files.
bool IsOfProject(const std::string& path, const Project& project, Diagnostics& diagnostics);

// Returns whether opledger ships the file at this absolute path.
bool IsShipped(const std::string& path);

}  // namespace opledger
