// Which of many known names a word is a misspelling of: case, '_' and '-' alone are no distance;
// where one of the two has at most four letters they may differ by one edit, else by two.
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

  // `name` must outlive the index. Names of more than 200 bytes are never near anything.
  void Add(std::string_view name, std::size_t id);

  // At most eight, nearest first, then in the order they were added. After a million comparisons
  // (a list and a manifest that share next to nothing) the answer is: none.
  std::vector<Match> Near(std::string_view word) const;

 private:
  struct Known {
    std::string lower;
    std::uint64_t letters;  // set of the name's letters: excludes most pairs at once
    std::string_view name;
    std::size_t id;
  };
  std::map<std::size_t, std::vector<Known>> by_length_;
  std::unordered_map<std::string, std::vector<Match>> by_key_;
  mutable int comparisons_ = 0;
};

}  // namespace opledger
