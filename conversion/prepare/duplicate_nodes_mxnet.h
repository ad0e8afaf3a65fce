// --cse for MXNet symbols: compares attributes and computes the edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/prepare/duplicate_nodes.h"

namespace opledger {

DuplicateNodes FindMxnetDuplicates(const MxnetSymbol& symbol, const Typing& typing);

// Removes entries and renumbers the others.
EditList RemoveDuplicates(const MxnetSymbol& symbol, const DuplicateNodes& found);

}  // namespace opledger
