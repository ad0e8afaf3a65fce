// Returns the difference of two texts in the format of `diff -u` and `git apply`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Returns "" if the texts are equal. Uses three lines of context. Control characters are not
// escaped, so that the diff can be applied.
std::string UnifiedDiff(const std::string& path, std::string_view before, std::string_view after);

}  // namespace opledger
