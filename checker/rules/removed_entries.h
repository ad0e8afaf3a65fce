// Entries that the revision compared with had and that are gone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "checker/index/index.h"

namespace opledger {

// The list of the same label, or nullptr.
const ListIndex* FindList(const CheckIndex& index, const std::string& label);

// Calls `visit` with each operator that has no entry any more, and the one it had.
void ForEachRemoved(const CheckIndex& index, const ListIndex& list, const ListIndex& before,
                    const std::function<void(const Operator& op, const ListEntry& old)>& visit);

// Whether the list says why the entry that `before` has for the operator is gone, by the operator's
// name or the entry's, and did not say so before.
bool SaysWhyRemoved(const ListIndex& list, const ListIndex& before, const Operator& op,
                    const ListEntry& old);

// Where the removal is to be seen today: the framework's own list that had the row; else what the
// list says of operators without an entry.
Location PlaceOfRemoved(const ListIndex& list, const ListEntry& old);

}  // namespace opledger
