// The difference of two texts in the format of `diff -u` and `git apply`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Empty where the texts are equal. Three lines of context; control characters of the texts are
// shown as they are, since the result is to be applied.
std::string UnifiedDiff(const std::string& path, std::string_view before, std::string_view after);

}  // namespace opledger
