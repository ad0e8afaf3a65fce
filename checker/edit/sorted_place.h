// Where a name belongs among others, if these are sorted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace opledger {

// By bytes or, failing that, ignoring case; else at the end.
std::size_t SortedPlace(const std::vector<std::string_view>& names, std::string_view name);

}  // namespace opledger
