// Which files a scan looks at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect.h"
#include "registry/diagnostics.h"

namespace opledger::scan {

// The translation units, relative to `root`, sorted: those under the dialect's sources, and, for
// every one of `paths` that holds none of these, all of that path's own.
std::vector<std::string> ListUnits(const std::string& root, const std::vector<std::string>& paths,
                                   const Dialect& dialect, Diagnostics& diagnostics);

}  // namespace opledger::scan
