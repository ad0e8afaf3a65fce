// Reads compile_commands.json: which files are built, with which macros and include folders. The
// file is not trusted. From a command line only macros, include folders, headers of -include and
// -imacros, and response files with these are read. Nothing is passed on or run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/scan/tree/tree.h"
#include "registry/source/source.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

struct CompileDatabase {
  std::map<std::string, CommandLine> units;  // by absolute path; the first entry of a file counts
  std::vector<std::string> include_directories;  // absolute, of all units, in order of appearance
  // By absolute path of a unit: why some of its flags were not read.
  std::map<std::string, std::string> unread;
};

// Reads `folder`/compile_commands.json (`folder` may name the file itself). Returns nullopt and
// reports an error if it is malformed.
std::optional<CompileDatabase> ReadCompileDatabase(const Source& source, const std::string& folder,
                                                   Diagnostics& diagnostics);

}  // namespace opledger::scan
