// Regular expressions over names, as --exclude takes them. Apart, since <regex> is large.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace opledger {

class NamePatterns {
 public:
  NamePatterns();
  ~NamePatterns();
  NamePatterns(const NamePatterns&) = delete;
  NamePatterns& operator=(const NamePatterns&) = delete;

  // One more ECMAScript expression; false: it is none.
  bool Add(const std::string& pattern);
  // Whether some expression is found in `name`.
  bool Match(const std::string& name) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace opledger
