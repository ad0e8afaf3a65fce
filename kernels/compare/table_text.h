// Tables for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

// Rows of cells, indented by two; each column as wide as its widest cell; no blanks at the ends of
// lines.
std::string TableText(const std::vector<std::vector<std::string>>& rows);

}  // namespace opledger
