// Chooses among the precision lists that a framework maintains itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"

namespace opledger {

// Returns whether some operator is registered with this field for this device.
using IsRegistered = std::function<bool(const std::string& field, const std::string& device)>;
// Returns whether a file exists, relative to the root of the sources. The caller decides about
// files that cannot be examined.
using IsThere = std::function<bool(const std::string& path)>;

// Returns at most one list per label: the first whose files all exist and whose registrations all
// occur. A list that may be empty is also chosen if its device has kernels, or if no kernel names a
// device and the list is for autocast's default device.
std::vector<const KeptList*> ChooseKeptLists(const Dialect& dialect, const IsThere& is_there,
                                             const IsRegistered& is_registered);

// Returns a precision list that is derived from `list` and contains nothing else.
std::string KeptListText(const Dialect& dialect, const KeptList& list);

}  // namespace opledger
