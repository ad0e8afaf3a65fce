// What a scan does not look at: mentions of leading names in files below the root that a compiler
// could be given, and that are neither sources nor read for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "registry/dialect/dialect.h"
#include "registry/scan/ledger/ledger.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

struct OutsideMentions {
  std::map<std::string, int> folders;  // outside the sources: how many mentions
  int excluded = 0;                    // in files that the dialect or the project excludes
};

// Reads every such file once. Folders that are symbolic links are not followed.
OutsideMentions FindOutside(const SourceTree& tree, const Dialect& dialect, const NameSet& leading);

// "outside the sources" and a line for each folder; empty where there is none.
std::string OutsideText(const OutsideMentions& outside);

}  // namespace opledger::scan
