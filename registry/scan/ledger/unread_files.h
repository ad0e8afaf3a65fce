// Files that may register operators but are not read: a compiler could compile them, but they are
// neither sources of the dialect nor included by one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/ledger/ledger.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// What is incomplete because the file is not read: the first use of a leading name in it, which may
// be one of the file's own macros. `why` says what is to be done about the file. In a template of
// source, macros that lead count, too: what is generated may be a header.
void AddUnreadFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                   const std::string& path, const std::string& why,
                   std::vector<Incomplete>& incomplete);

// Uses of macros that only a configuration defines, and that lead to a registration there.
void AddConfigurationMacros(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                            std::vector<Incomplete>& incomplete);

}  // namespace opledger::scan
