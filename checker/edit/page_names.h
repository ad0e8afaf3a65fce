// Writes names of operators into a section of a page, as its other names are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace opledger {

// The page with these names in the section of this title: each where it belongs if the names are
// sorted, else at the end. None where the section has no name that shows how one is written.
std::optional<std::string> WithNames(std::string text, bool markdown, const std::string& section,
                                     const std::vector<std::string>& names);

}  // namespace opledger
