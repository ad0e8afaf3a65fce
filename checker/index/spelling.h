// Finds the known names that a word may misspell. Case, '_' and '-' do not count. Names may differ
// by two edits, or by one if one of them has at most four letters.
//   known softmax, softmin; "sofmax" -> softmax (1), softmin (2)
//   known norm, p_norm; "pnorm" -> p_norm (0), norm (1)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opledger {

class SpellingIndex {
 public:
  struct Match {
    int distance = 0;
    std::size_t id = 0;
    std::string_view name;
  };

  // `name` must outlive the index. Names of more than 200 bytes never match.
  void Add(std::string_view name, std::size_t id);

  // Returns at most eight names, nearest first, then in the order of insertion. Returns {} after a
  // million comparisons, which happens if list and manifest share almost nothing.
  std::vector<Match> Near(std::string_view word) const;

 private:
  struct Known {
    std::string lower;
    std::uint64_t letters;  // set of the name's letters, to exclude most names quickly
    std::string_view name;
    std::size_t id;
  };
  std::map<std::size_t, std::vector<Known>> by_length_;
  std::unordered_map<std::string, std::vector<Match>> by_key_;
  mutable int comparisons_ = 0;
};

}  // namespace opledger
