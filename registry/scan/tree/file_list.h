// Which files a scan looks at.
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

// Whether the file is Python that is searched but not read, by its name: a notebook, Cython, a
// stub.
bool IsOtherPython(std::string_view path);

struct UnitList {
  std::set<std::string> units;        // relative to the root
  std::set<std::string> python;       // files of the sources, if the dialect reads Python
  std::set<std::string> yaml;         // files of the sources that the dialect does not read
  std::set<std::string> unread_code;  // that would be units if they had a unit's extension
  std::vector<std::string> folders;   // that were listed for the dialect's sources
  bool extended = false;              // some unit is here only because a path asks for it
  // Folders, links and files that could not be followed or examined, with the reason.
  std::map<std::string, std::string> unread;
};

// The translation units: those under the dialect's sources, and, for every one of `paths` that
// holds none of these, all of that path's own.
UnitList ListUnits(const Source& source, const std::vector<std::string>& paths,
                   const Dialect& dialect, Diagnostics& diagnostics);

struct ChosenUnits {
  std::map<std::string, CommandLine> units;  // relative to the root
  // Listed, but missing, or not to be examined, with the reason.
  std::map<std::string, std::string> missing;
  std::set<std::string> outside;  // no sources and not excluded, as the tree has their paths
};

// The same choice among the files of a compile database (absolute paths), with their commands.
ChosenUnits ChooseUnits(const std::map<std::string, CommandLine>& listed, const Source& source,
                        const std::vector<std::string>& paths, const Dialect& dialect);

}  // namespace opledger::scan
