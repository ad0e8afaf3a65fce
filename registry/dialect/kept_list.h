// The lists that a framework keeps itself, of those that its dialect knows of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"

namespace opledger {

// Whether some operator is registered with this field for this device.
using IsRegistered = std::function<bool(const std::string& field, const std::string& device)>;
// Whether a file is there, as seen from the root of the sources. The caller decides what a file is
// that cannot be examined.
using IsThere = std::function<bool(const std::string& path)>;

// One for each label: the first whose files are all there, and of whose registrations there is one.
// A list that may be empty is chosen if its device has kernels, or if no kernel names a device and
// it is for the one that autocast is on by default.
std::vector<const KeptList*> ChooseKeptLists(const Dialect& dialect, const IsThere& is_there,
                                             const IsRegistered& is_registered);

// A precision list that is derived from it and says nothing else.
std::string KeptListText(const Dialect& dialect, const KeptList& list);

}  // namespace opledger
