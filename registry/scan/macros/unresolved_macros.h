// What looks like a registration but was not understood: the check that lets a scan say "all".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// Macros called at file scope whose name holds the dialect's suspicious word and that are neither
// sinks, nor defined anywhere the file can see, nor excepted by the dialect.
std::vector<Incomplete> UnresolvedMacros(const MacroIndex& index, const SourceTree& tree,
                                         const Dialect& dialect);

}  // namespace opledger::scan
