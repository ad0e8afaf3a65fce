// Checks that paths named in files stay inside the root, even with ".." and symbolic links.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// Returns whether `path`, after following links, is `root` or below it. Neither has to exist.
bool IsInside(const std::string& path, const std::string& root);

// Returns whether a path in a file is relative, has no NUL, and does not leave its folder with
// "..".
bool StaysBelow(const std::string& written);
// Like StaysBelow(), but the path may leave its folder with "..".
bool IsRelative(const std::string& written);

}  // namespace opledger
