// The operator of a list that is nearest to a new one by name: its class is where to look first.
//   _contrib_quantized_npi_add -> _contrib_quantized_elemwise_add
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/check_index.h"

namespace opledger {

class Siblings {
 public:
  explicit Siblings(const ListIndex& list);

  // The entry that shares the most words with `name`, at least half of the longer one's; nullptr
  // where there is none. Words are what '_', '.', ':', '/' and changes of case set apart.
  const EntryUse* Nearest(std::string_view name) const;

 private:
  const ListIndex& list_;
  std::unordered_map<std::string, std::vector<int>> by_word_;  // word -> indices of uses
  std::vector<int> word_counts_;
};

}  // namespace opledger
