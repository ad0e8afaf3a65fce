// Computes digests of the parts of the macro index on which the facts of one unit depend. They tell
// a build that keeps facts in files which units to read again after a header has changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/macros/macros.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Returns the digest of the flags, of what the macros that the unit uses mean in it, and of which
// headers register by themselves. Facts that did not need full headers are the same as long as this
// digest and the unit are.
Digest UnitPart(const MacroIndex& index, const SourceTree& tree, const Digest& basis, int unit);

// Returns the digest of the bytes of every file that the unit can include, on which facts read with
// full headers depend.
Digest ReachOf(const MacroIndex& index, const SourceTree& tree, int unit);

}  // namespace opledger::scan
