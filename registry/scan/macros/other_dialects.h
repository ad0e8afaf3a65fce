// What the other dialects of a project read: macros that lead to one of their sinks look like
// registrations here, and are none that is passed over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "registry/dialect/dialect.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// The sinks of the other dialects, and every macro of the tree whose definition names one of these
// or another such macro. Whether the definition is seen from a use is not asked.
std::set<std::string, std::less<>> MacrosOfOtherDialects(const SourceTree& tree,
                                                         const Dialect& dialect);

}  // namespace opledger::scan
