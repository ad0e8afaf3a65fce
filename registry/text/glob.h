// Path patterns: `*` within one folder, `**` across folders, `?` one character.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

// Whether the whole of `path` ('/'-separated, relative) matches. "src/**" matches everything below
// src/; "**/*.cu" matches at any depth, also none.
bool GlobMatch(std::string_view pattern, std::string_view path);

}  // namespace opledger
