// Comparing names by the words they are made of.
// SPDX-License-Identifier: Apache-2.0
#include "checker/siblings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "registry/suggestion.h"

namespace opledger {
namespace {

// Names as long as this are compared by their beginning only.
constexpr std::size_t kLongestName = 200;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// "BatchNorm_v2" -> batch, norm, v2
std::set<std::string> Words(std::string_view name) {
  name = name.substr(0, kLongestName);
  std::set<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool separator = std::string_view("_.:/").find(c) != std::string_view::npos;
    const bool starts = IsUpper(c) && i > 0 && IsLower(name[i - 1]);
    if ((separator || starts) && !word.empty()) words.insert(std::exchange(word, {}));
    if (!separator) word += IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!word.empty()) words.insert(word);
  return words;
}

}  // namespace

Siblings::Siblings(const ListIndex& list) : list_(list) {
  for (std::size_t i = 0; i < list.uses.size(); ++i) {
    const std::set<std::string> words = Words(list.uses[i].entry->op);
    for (const std::string& word : words) by_word_[word].push_back(static_cast<int>(i));
    word_counts_.push_back(static_cast<int>(words.size()));
  }
}

const EntryUse* Siblings::Nearest(std::string_view name) const {
  const std::set<std::string> words = Words(name);
  std::map<int, int> shared;  // index of the use -> words in common
  for (const std::string& word : words) {
    const auto uses = by_word_.find(word);
    if (uses == by_word_.end()) continue;
    for (const int use : uses->second) ++shared[use];
  }
  const EntryUse* nearest = nullptr;
  double best = 0.5;
  int best_distance = 0;
  for (const auto& [index, count] : shared) {
    const EntryUse& use = list_.uses[index];
    if (use.op == nullptr) continue;
    const int longer = std::max(word_counts_[index], static_cast<int>(words.size()));
    const double score = static_cast<double>(count) / longer;
    if (score < best) continue;
    const int distance = EditDistance(name.substr(0, kLongestName),
                                      std::string_view(use.entry->op).substr(0, kLongestName), 32);
    if (nearest != nullptr && score == best && distance >= best_distance) continue;
    nearest = &use;
    best = score;
    best_distance = distance;
  }
  return nearest;
}

}  // namespace opledger
