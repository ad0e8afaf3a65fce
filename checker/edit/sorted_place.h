// Finds the place of a name in a sorted sequence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace opledger {

// Returns the index at which to insert `name`, if the names are sorted by bytes or ignoring case,
// otherwise names.size().
std::size_t SortedPlace(const std::vector<std::string_view>& names, std::string_view name);

}  // namespace opledger
