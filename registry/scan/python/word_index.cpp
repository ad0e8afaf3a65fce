// Stores sorted hashes of words; see word_index.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/word_index.h"

#include <algorithm>
#include <functional>

#include "registry/text/sort_unique.h"
#include "registry/text/text.h"

namespace opledger::scan {

WordIndex::WordIndex(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsWordCharacter(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && IsWordCharacter(text[i])) ++i;
    hashes_.push_back(std::hash<std::string_view>()(text.substr(begin, i - begin)));
  }
  SortUnique(hashes_);
  hashes_.shrink_to_fit();
}

bool WordIndex::Has(std::string_view word) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), std::hash<std::string_view>()(word));
}

}  // namespace opledger::scan
