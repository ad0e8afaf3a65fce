// The words that an operator's name is made of.
//   "_npx_BatchNormV2" -> batch, norm, npx
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace opledger {

// In lower case; what is no letter and changes of case set them apart, a single letter is none.
std::set<std::string> NameWords(std::string_view name);

}  // namespace opledger
