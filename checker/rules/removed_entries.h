// Finds entries of the revision compared with that were removed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "checker/index/index.h"

namespace opledger {

// Returns the list with this label, or nullptr.
const ListIndex* FindList(const CheckIndex& index, const std::string& label);

// Calls `visit` with each operator whose entry was removed, and with that entry.
void ForEachRemoved(const CheckIndex& index, const ListIndex& list, const ListIndex& before,
                    const std::function<void(const Operator& op, const ListEntry& old)>& visit);

// Returns whether "removed" gives a reason for removing the operator's entry `old`, by either name,
// that `before` does not have.
bool SaysWhyRemoved(const ListIndex& list, const ListIndex& before, const Operator& op,
                    const ListEntry& old);

// Returns the place where the removal is visible: the framework's own list that had the row,
// otherwise the "unlisted" field of the list.
Location PlaceOfRemoved(const ListIndex& list, const ListEntry& old);

}  // namespace opledger
