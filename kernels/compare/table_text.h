// Formats tables as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

// Indents rows by two; each column is as wide as its widest cell; lines have no trailing blanks.
std::string TableText(const std::vector<std::vector<std::string>>& rows);

}  // namespace opledger
