// Adds names of operators to a section of a page in the style of its other names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace opledger {

// Adds the names to the section with this title: each at its place if the names are sorted,
// otherwise at the end. Returns nullopt if the section has no name to copy the style from.
std::optional<std::string> WithNames(std::string text, bool markdown, const std::string& section,
                                     const std::vector<std::string>& names);

}  // namespace opledger
