// The identifiers of a text, so that many names can be looked up in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace opledger::scan {

class WordIndex {
 public:
  explicit WordIndex(std::string_view text);

  // Whether the word stands in the text as a whole. Rarely true of one that does not, if two words
  // have the same hash.
  bool Has(std::string_view word) const;

 private:
  std::vector<std::size_t> hashes_;  // sorted
};

}  // namespace opledger::scan
