// Splits paths into parts, for resolving links.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

inline constexpr int kMaximumLinks = 40;  // the limit of Linux for one path

// Puts the parts of a path in front of the remaining ones. The next part is the last element.
inline void PushParts(const std::string& path, std::vector<std::string>& left) {
  for (std::size_t end = path.size(); end != std::string::npos && end > 0;) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    if (end > begin) left.push_back(path.substr(begin, end - begin));
    end = slash;
  }
}

}  // namespace opledger
