// compile_commands.json: which files are built, with which macros and include folders. The file is
// not trusted: of a command line only macros, include folders, headers of -include and -imacros,
// and response files with more of these are read, nothing is passed on and nothing is run.
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
  std::vector<std::string> include_directories;  // absolute, of all units, as they first appear
  // Of units (absolute paths): why some of their flags were not read.
  std::map<std::string, std::string> unread;
};

// Reads `folder`/compile_commands.json (`folder` may name the file itself).
std::optional<CompileDatabase> ReadCompileDatabase(const Source& source, const std::string& folder,
                                                   Diagnostics& diagnostics);

}  // namespace opledger::scan
