// Reports files that may register operators but are not read: they could be compiled, but are
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

// Reports an unread file by the first use of a leading name in it, or of one of the file's own
// macros that lead to one. `why` says why it is not read and what to do about it. In a template of
// source, a definition of such a macro counts too, because the generated file may be a header.
void AddUnreadFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                   const std::string& path, const std::string& why,
                   std::vector<Incomplete>& incomplete);

// Reports uses of macros that only a configuration defines and that lead to a registration there.
void AddConfigurationMacros(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                            std::vector<Incomplete>& incomplete);

}  // namespace opledger::scan
