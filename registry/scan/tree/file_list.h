// Which files a scan looks at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

struct UnitList {
  std::set<std::string> units;       // relative to the root
  std::vector<std::string> folders;  // that were listed for the dialect's sources
  bool extended = false;             // some unit is here only because a path asks for it
  // Folders and links that could not be followed, with the reason.
  std::map<std::string, std::string> unread;
};

// The translation units: those under the dialect's sources, and, for every one of `paths` that
// holds none of these, all of that path's own.
UnitList ListUnits(const std::string& root, const std::vector<std::string>& paths,
                   const Dialect& dialect, Diagnostics& diagnostics);

// The same choice among the files of a compile database (absolute paths), with their defines. Files
// that are listed but missing go to `missing`.
std::map<std::string, Defines> ChooseUnits(const std::map<std::string, Defines>& listed,
                                           const std::string& root,
                                           const std::vector<std::string>& paths,
                                           const Dialect& dialect,
                                           std::vector<std::string>& missing);

}  // namespace opledger::scan
