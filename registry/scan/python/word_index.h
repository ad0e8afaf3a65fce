// An index of the identifiers of a text, to look up many names in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace opledger::scan {

class WordIndex {
 public:
  explicit WordIndex(std::string_view text);

  // Returns whether the text contains the whole word. In rare cases, returns true for a missing
  // word with the same hash.
  bool Has(std::string_view word) const;

 private:
  std::vector<std::size_t> hashes_;  // sorted
};

}  // namespace opledger::scan
