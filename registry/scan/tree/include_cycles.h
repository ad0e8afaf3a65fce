// Files that include each other without end, which no compiler could read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// The files on such a circle: each includes the next under no condition, and none is guarded.
// Ascending.
std::vector<int> EndlessIncludes(const SourceTree& tree);

}  // namespace opledger::scan
