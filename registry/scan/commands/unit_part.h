// What of the macro index the facts of one unit depend on, as digests: a build that keeps them in
// files knows after an edit of a header which units to read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/macros/macros.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Of the flags, of what the macros that the unit uses mean in it, and of which headers register by
// themselves. Facts that needed no full headers are the same while this and the unit are.
Digest UnitPart(const MacroIndex& index, const SourceTree& tree, const Digest& basis, int unit);

// Of the bytes of every file that the unit can include: what facts with full headers depend on.
Digest ReachOf(const MacroIndex& index, const SourceTree& tree, int unit);

}  // namespace opledger::scan
