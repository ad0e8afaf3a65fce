// Splits an operator's name into words.
//   "_npx_BatchNormV2" -> batch, norm, npx
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace opledger {

// Returns the words in lower case. Non-letters and changes of case separate words; single letters
// are dropped.
std::set<std::string> NameWords(std::string_view name);

}  // namespace opledger
