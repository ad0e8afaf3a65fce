// Which files a scan looks at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/diagnostics.h"
#include "registry/dialect.h"

namespace opledger::scan {

// The translation units, relative to `root`: those under the dialect's sources, and, for every one
// of `paths` that holds none of these, all of that path's own.
std::set<std::string> ListUnits(const std::string& root, const std::vector<std::string>& paths,
                                const Dialect& dialect, Diagnostics& diagnostics);

// The same choice among the files of a compile database (absolute paths), with their defines. Files
// that are listed but missing go to `missing`.
std::map<std::string, Defines> ChooseUnits(const std::map<std::string, Defines>& listed,
                                           const std::string& root,
                                           const std::vector<std::string>& paths,
                                           const Dialect& dialect,
                                           std::vector<std::string>& missing);

}  // namespace opledger::scan
