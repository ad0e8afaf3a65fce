// Path patterns: `*` matches within one folder, `**` across folders, `?` one character.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// Returns whether all of `path` ('/'-separated, relative) matches. "src/**" matches everything
// below src/; "**/*.cu" matches at any depth, including the top.
bool GlobMatch(std::string_view pattern, std::string_view path);
// Returns whether any pattern matches.
bool GlobMatchAny(const std::vector<std::string>& patterns, std::string_view path);

// Returns whether a path below `folder` may match: the fixed part of the pattern, up to its first
// wildcard, leads into the folder, or the folder is below it.
bool GlobMayMatchBelow(std::string_view pattern, std::string_view folder);

}  // namespace opledger
