// std::regex throws; nobody else sees it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/name_patterns.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in <regex>, under the sanitizers
#endif
#include <algorithm>
#include <regex>
#include <vector>

namespace opledger {

struct NamePatterns::Compiled {
  std::vector<std::regex> patterns;
};

NamePatterns::NamePatterns() : compiled_(std::make_unique<Compiled>()) {}
NamePatterns::~NamePatterns() = default;

bool NamePatterns::Add(const std::string& pattern) {
  try {
    compiled_->patterns.emplace_back(pattern, std::regex::ECMAScript | std::regex::optimize);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

bool NamePatterns::Match(const std::string& name) const {
  return std::any_of(compiled_->patterns.begin(), compiled_->patterns.end(),
                     [&](const std::regex& pattern) { return std::regex_search(name, pattern); });
}

}  // namespace opledger
