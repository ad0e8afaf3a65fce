// Reading one entry of a precision list, the inner half of precision_list.cpp.
//   {"op": "exp", "reason": "numeric"}  ->  ListEntry
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/lists/precision_list.h"

namespace opledger {

// The entry that `item` of the array of `policy` describes; errors go to `diagnostics`.
std::optional<ListEntry> ReadListEntry(const JsonDocument& document, const JsonValue& item,
                                       Policy policy, Diagnostics& diagnostics);

}  // namespace opledger
