// Counts what a scan does not read: mentions of leading names in files below the root that could be
// compiled but are neither sources nor included by them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "registry/dialect/dialect.h"
#include "registry/scan/ledger/ledger.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

struct OutsideMentions {
  std::map<std::string, int> folders;  // outside the sources: folder -> number of mentions
  int excluded = 0;                    // in files that the dialect or the project excludes
};

// Reads every such file once. Does not follow symbolic links to folders.
OutsideMentions FindOutside(const SourceTree& tree, const Dialect& dialect, const NameSet& leading);

// Returns "outside the sources" and a line for each folder, or an empty string if there are none.
std::string OutsideText(const OutsideMentions& outside);

}  // namespace opledger::scan
