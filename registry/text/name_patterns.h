// Regular expressions over names, as for --exclude, in RE2's syntax: without backreferences and
// lookaround, in linear time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}  // namespace re2

namespace opledger {

class NamePatterns {
 public:
  NamePatterns();
  ~NamePatterns();
  NamePatterns(const NamePatterns&) = delete;
  NamePatterns& operator=(const NamePatterns&) = delete;

  // Adds an expression. Returns false if it is invalid.
  bool Add(const std::string& pattern);
  // Returns whether any expression matches part of `name`.
  bool Match(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<re2::RE2>> patterns_;
};

}  // namespace opledger
