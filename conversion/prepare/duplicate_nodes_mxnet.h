// --cse for MXNet symbols: finds duplicate nodes and computes the edits that remove them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/prepare/duplicate_nodes.h"

namespace opledger {

// Like FindDuplicates, comparing the attributes of symbols. Nodes with control dependencies stay.
DuplicateNodes FindMxnetDuplicates(const MxnetSymbol& symbol, const Typing& typing);

// Returns the edits of the symbol's JSON that remove the entries of duplicate nodes and renumber
// all references.
EditList RemoveDuplicates(const MxnetSymbol& symbol, const DuplicateNodes& found);

}  // namespace opledger
