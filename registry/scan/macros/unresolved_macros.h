// Reports macro calls that look like registrations but were not understood, so that a scan without
// reports is complete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// Returns macros called at file scope whose name contains the dialect's suspicious word, or
// resembles a sink where a header is missing, and that lead to no sink and are not exempt.
std::vector<Incomplete> UnresolvedMacros(const MacroIndex& index, const SourceTree& tree,
                                         const Dialect& dialect);

}  // namespace opledger::scan
