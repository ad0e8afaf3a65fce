// Checks that no output overwrites an input, a file that the output model refers to, or another
// output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// Returns whether `path` denotes standard output.
bool IsStandardOutput(const std::string& path);

struct OutputFile {
  std::string option;     // the option that gives the path: "-o"
  std::string path;       // empty or "-": not a file
  bool in_place = false;  // may be one of FilesInUse::model (--in-place)
};

// Paths of files; empty paths are ignored.
struct FilesInUse {
  std::vector<std::string> model;  // read, and replaced by outputs with `in_place`
  std::vector<std::string> read;   // read, and never replaced
  std::vector<std::string> named;  // referred to by the output model
};

// Reports an error and returns false if an output is one of these files or another output. Existing
// files are compared by identity after following links, others by path.
bool CheckOutputFiles(const FilesInUse& in_use, const std::vector<OutputFile>& outputs,
                      Diagnostics& diagnostics);

// Returns the files that `--input NAME=FILE` and `--inputs-from DIR` read: these files, and each
// .npy file in a subfolder of DIR. If a folder cannot be listed, sets `problem`; the result is then
// incomplete.
std::vector<std::string> InputFiles(const std::vector<std::string>& given, const std::string& from,
                                    Diagnostic* problem = nullptr);

}  // namespace opledger
