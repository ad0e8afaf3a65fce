// How one file was read: every candidate in the order of the file, and what came of it or why
// nothing did.
//   src/a.cc:3:1: REGISTER_UNARY registers 'abs' (alias _abs; attributes 2)
//   src/a.cc:7:1: LOG_REGISTER registers no operator: the dialect excepts it
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// `registrations`: those of all facts that have a place in the file.
std::string ExplainFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                        const Manifest& manifest, const std::string& path,
                        const std::vector<Registration>& registrations);

}  // namespace opledger::scan
