// Finds the files that a scan reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/tree/tree.h"
#include "registry/source/source.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

// Returns whether the file is, by its name, Python that is searched but not read: a notebook,
// Cython, or a stub.
bool IsOtherPython(std::string_view path);

struct UnitList {
  std::set<std::string> units;        // relative to the root
  std::set<std::string> python;       // Python files of the sources, if the dialect reads Python
  std::set<std::string> yaml;         // YAML files of the sources that the dialect does not read
  std::set<std::string> unread_code;  // files that would be units with a unit's extension
  std::vector<std::string> folders;   // folders that were listed for the dialect's sources
  bool extended = false;              // some units are included only because of `paths`
  // Folders, links and files that could not be followed or examined, with the reason.
  std::map<std::string, std::string> unread;
};

// Returns the translation units: those among the dialect's sources and, for each of `paths` without
// such units, all units below that path.
UnitList ListUnits(const Source& source, const std::vector<std::string>& paths,
                   const Dialect& dialect, Diagnostics& diagnostics);

struct ChosenUnits {
  std::map<std::string, CommandLine> units;  // relative to the root
  // Listed files that are missing or cannot be examined, with the reason.
  std::map<std::string, std::string> missing;
  std::set<std::string> outside;  // neither sources nor excluded; paths as in the tree
};

// Chooses in the same way among the files of a compile database (absolute paths), with their
// commands.
ChosenUnits ChooseUnits(const std::map<std::string, CommandLine>& listed, const Source& source,
                        const std::vector<std::string>& paths, const Dialect& dialect);

}  // namespace opledger::scan
