// Two lists of edits, one after the other, as one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"

namespace opledger {

// `first` is of a file of `size` bytes, and `second` of what comes of it; the list that is given
// does both. The bytes of `first` are at hand.
EditList ComposeEdits(std::size_t size, EditList& first, EditList& second);

}  // namespace opledger
