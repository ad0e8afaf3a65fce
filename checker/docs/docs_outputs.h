// Where documentation goes: the files of -o, else those of the project file, else standard output.
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
  std::string path;         // from the root; "-": standard output
  bool is_folder = false;   // the format's files go into it, under their own names
  bool of_project = false;  // named by the project file
};

// `choice` and `format_name` are -o and --format, empty where not given. An unknown format, one
// that does not fit the file, and a file of the project that leads outside it are errors.
std::optional<std::vector<DocsOutput>> ChooseDocsOutputs(const std::string& choice,
                                                         const std::string& format_name,
                                                         const Project& project,
                                                         Diagnostics& diagnostics);

// The files that the output stands for, their names paths from the root. Several files without a
// folder are an error.
std::optional<std::vector<DocsFile>> RenderDocs(const Docs& docs, const DocsOutput& output,
                                                Diagnostics& diagnostics);

// What differs between a committed file and what it should be; as `check` shows findings, without
// what would mend it. Empty: nothing. An unreadable file is an error.
std::optional<std::string> StaleDocs(const DocsFile& file, const Project& project,
                                     Diagnostics& diagnostics);

}  // namespace opledger
