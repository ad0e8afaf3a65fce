// Uses RE2, because std::regex recurses with the length of the name.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/name_patterns.h"

#include <re2/re2.h>

#include <algorithm>

namespace opledger {

NamePatterns::NamePatterns() = default;
NamePatterns::~NamePatterns() = default;

bool NamePatterns::Add(const std::string& pattern) {
  patterns_.push_back(std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet));
  return patterns_.back()->ok();
}

bool NamePatterns::Match(std::string_view name) const {
  const re2::StringPiece text(name.data(), name.size());
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const auto& pattern) { return re2::RE2::PartialMatch(text, *pattern); });
}

}  // namespace opledger
