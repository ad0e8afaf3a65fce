// A file takes the place of another in one step: old or new, never torn. The new content goes to a
// temporary file beside it, which only we may read and which its writer holds locked, then gets
// mode, owner, attributes and access-control list of what it replaces, and its name.
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

// A whole file under its name which makes no sense before another one is written, too.
struct UnfinishedFile {
  FilePlace place;
  TemporaryFile file;  // removed with it, and by signals that end the process
};

struct Replacement {
  std::function<bool(OutputSink&)> produce = {};  // false: it has said why
  // Sees the complete file under its temporary path; false: it has said why. Not asked about what
  // goes to a pipe, a device or standard output.
  std::function<bool(const std::string&)> accept = {};
  // Writes what belongs to the file, which can be read under this path: before it gets its name,
  // or, of what goes to a pipe or the like, afterwards. False: it has said why.
  std::function<bool(const std::string&)> write_others = {};
  // Made again where it is lost: not waited for until it is on the disk, readable by all, and
  // without a word where somebody else is writing it.
  bool is_cache = false;
  // Gives the name that the file gets in the folder, once its content is known; an empty one: it
  // has said why there is none. Not given: the place's.
  std::function<std::string()> name = {};
  // Where to leave the file, if nothing has its name yet: it is removed again unless it lasts.
  UnfinishedFile* unfinished = nullptr;
  // Such files that last from the moment on at which this one has its name.
  std::vector<UnfinishedFile*> completes = {};
  // Asked when all is ready but the name, which is not given then if this says no; it has said why.
  std::function<bool()> may_replace = {};
  // Nothing may have the name yet.
  bool is_new = false;
  // A new file gets none of the permissions that this lacks.
  mode_t most_permissions = 0777;
  // The caller holds the file's lock file, if it needs one.
  bool is_locked = false;
};

struct WriteProblem {
  int error = 0;             // errno; 0: `produce` or `accept` has said why
  std::string message = {};  // instead of what errno means
  std::string remedy = {};
};

// False with the problem; then the place is as it was.
bool ReplaceFile(FilePlace& place, const Replacement& replacement, WriteProblem& problem);

// An error for the problem, unless it has been said. Gives false.
bool ReportProblem(const std::string& path, const WriteProblem& problem, Diagnostics& diagnostics);

// Removes what killed runs left half written in the folder, and their locks.
void RemoveStaleTemporaries(const std::string& folder);

}  // namespace opledger
