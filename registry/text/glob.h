// Path patterns: `*` within one folder, `**` across folders, `?` one character.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// Whether the whole of `path` ('/'-separated, relative) matches. "src/**" matches everything below
// src/; "**/*.cu" matches at any depth, also none.
bool GlobMatch(std::string_view pattern, std::string_view path);
// Whether some pattern does.
bool GlobMatchAny(const std::vector<std::string>& patterns, std::string_view path);

// Whether a path below `folder` may match: the pattern leads into it up to its first wildcard, or
// it into that.
bool GlobMayMatchBelow(std::string_view pattern, std::string_view folder);

}  // namespace opledger
