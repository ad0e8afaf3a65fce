// Where documentation goes: to -o, otherwise to the files of the project file, otherwise to
// standard output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/docs/docs.h"
#include "checker/project/project.h"

namespace opledger {

struct DocsOutput {
  const DocsFormat* format = nullptr;
  std::string path;         // relative to the root; "-": standard output
  bool is_folder = false;   // files keep the names that the format gives them
  bool of_project = false;  // the project file names it
};

// `choice` and `format_name` are the values of -o and --format, or "". Reports an error for an
// unknown format, one that does not fit the file, and a file of the project that is outside of it.
std::optional<std::vector<DocsOutput>> ChooseDocsOutputs(const std::string& choice,
                                                         const std::string& format_name,
                                                         const Project& project,
                                                         Diagnostics& diagnostics);

// Returns the files of the output, with paths relative to the root. Reports an error if there are
// several files but no folder.
std::optional<std::vector<DocsFile>> RenderDocs(const Docs& docs, const DocsOutput& output,
                                                Diagnostics& diagnostics);

// Compares a committed file with its expected contents. Returns "" if they are equal, otherwise a
// diagnostic in the format of `check`, without a hint. Reports an error if the file cannot be read.
std::optional<std::string> StaleDocs(const DocsFile& file, const Project& project,
                                     Diagnostics& diagnostics);

}  // namespace opledger
