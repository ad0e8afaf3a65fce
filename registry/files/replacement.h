// Replaces a file atomically. The new content is written to a temporary file in the same folder,
// which only the user may read and which its writer keeps locked. It then gets the mode, owner,
// attributes and access-control list of the file that it replaces, and its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/files/file_place.h"
#include "registry/files/temporary_file.h"
#include "registry/text/diagnostics.h"

namespace opledger {

class OutputSink;

// A complete file under its name that is of no use before another file is written.
struct UnfinishedFile {
  FilePlace place;
  TemporaryFile file;  // removed with this object, and by signals that end the process
};

struct Replacement {
  std::function<bool(OutputSink&)> produce = {};  // returns false after reporting why
  // Called with the path of the complete temporary file. Returns false after reporting why the file
  // is rejected. Not called for pipes, devices and standard output.
  std::function<bool(const std::string&)> accept = {};
  // Writes files that accompany this one, which can be read under the given path. Called before the
  // file gets its name, or after output to a pipe or device. Returns false after reporting why.
  std::function<bool(const std::string&)> write_others = {};
  // The file can be regenerated: it is not synced to disk, is readable by all, and no message is
  // shown while another process writes it.
  bool is_cache = false;
  // Returns the name of the file in the folder, once its content is known, or an empty string after
  // reporting why there is none. Not set: the name of the place.
  std::function<std::string()> name = {};
  // If set, and if no file of this name exists, receives the file, which is removed unless it is
  // kept.
  UnfinishedFile* unfinished = nullptr;
  // Unfinished files that are kept as soon as this file has its name.
  std::vector<UnfinishedFile*> completes = {};
  // Called when everything but the rename is done. Returns false after reporting why the file must
  // not be replaced.
  std::function<bool()> may_replace = {};
  // Fails if a file of this name exists.
  bool is_new = false;
  // Permissions that a new file may have.
  mode_t most_permissions = 0777;
  // The caller holds the lock file, if one is needed.
  bool is_locked = false;
};

struct WriteProblem {
  int error = 0;             // errno; 0: `produce` or `accept` has reported the error
  std::string message = {};  // replaces the message for errno
  std::string remedy = {};
};

// On failure, returns false, sets `problem` and leaves the place unchanged.
bool ReplaceFile(FilePlace& place, const Replacement& replacement, WriteProblem& problem);

// Reports the problem unless that has been done. Returns false.
bool ReportProblem(const std::string& path, const WriteProblem& problem, Diagnostics& diagnostics);

// Removes incomplete files and locks that killed runs left in the folder.
void RemoveStaleTemporaries(const std::string& folder);

}  // namespace opledger
