// Keeping paths that files name inside the root, whatever dots and symbolic links they hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// Whether `path`, links followed, lies in the folder `root` or below it. Neither needs to exist.
bool IsInside(const std::string& path, const std::string& root);

// Whether a path written in a file is relative, without NUL, and does not climb out by "..".
bool StaysBelow(const std::string& written);
// The same where it may climb out.
bool IsRelative(const std::string& written);

}  // namespace opledger
