// --cse of MXNet symbols: what their attributes say, and the edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/prepare/duplicate_nodes.h"

namespace opledger {

DuplicateNodes FindMxnetDuplicates(const MxnetSymbol& symbol, const Typing& typing);

// Removed entries go; the numbers of all others follow.
EditList RemoveDuplicates(const MxnetSymbol& symbol, const DuplicateNodes& found);

}  // namespace opledger
