// No output takes the place of a file that is read, of one that a written model names, or of
// another output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// Whether what is written to this path goes to standard output.
bool IsStandardOutput(const std::string& path);

struct OutputFile {
  std::string option;     // that names it: "-o"
  std::string path;       // empty, or "-": no file
  bool in_place = false;  // may be one of FilesInUse::model, where --in-place says so
};

// Paths; empty ones stand for nothing.
struct FilesInUse {
  std::vector<std::string> model;  // read, and replaced by an output with `in_place`
  std::vector<std::string> read;   // and never replaced
  std::vector<std::string> named;  // by the model that is written
};

// False, with an error: an output is one of these files, or another output. Files that are there
// are compared as such, links followed; others by where they would be.
bool CheckOutputFiles(const FilesInUse& in_use, const std::vector<OutputFile>& outputs,
                      Diagnostics& diagnostics);

// What `--input NAME=FILE` and `--inputs-from DIR` read: those files, and each .npy file in a
// folder of DIR. `problem`: what could not be listed, with why; the files are then not all.
std::vector<std::string> InputFiles(const std::vector<std::string>& given, const std::string& from,
                                    Diagnostic* problem = nullptr);

}  // namespace opledger
