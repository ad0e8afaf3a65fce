// Regular expressions over names, as --exclude takes them: RE2's syntax, which has no
// backreferences and no lookaround, and a time that is linear in the name.
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

  // One more expression; false: it is none.
  bool Add(const std::string& pattern);
  // Whether some expression is found in `name`.
  bool Match(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<re2::RE2>> patterns_;
};

}  // namespace opledger
