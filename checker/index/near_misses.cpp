// Pairs entries without an operator with operators without an entry. A misspelling causes one of
// each.
//   stale "sofmax" + unclassified "softmax" -> near miss
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "checker/index/index.h"
#include "checker/index/spelling.h"

namespace opledger {
namespace {

struct Pair {
  int distance = 0;
  std::size_t stale = 0;
  std::size_t unclassified = 0;
  std::string_view meant;

  bool operator<(const Pair& other) const {
    return std::tie(distance, stale, unclassified, meant) <
           std::tie(other.distance, other.stale, other.unclassified, other.meant);
  }
};

std::vector<Pair> FindPairs(const ListIndex& index) {
  SpellingIndex spelling;
  for (std::size_t i = 0; i < index.unclassified.size(); ++i) {
    const Operator& op = *index.unclassified[i];
    spelling.Add(op.name, i);
    for (const Alias& alias : op.aliases) spelling.Add(alias.name, i);
  }
  std::vector<Pair> pairs;
  for (std::size_t s = 0; s < index.stale.size(); ++s) {
    const std::vector<SpellingIndex::Match> matches = spelling.Near(index.stale[s]->entry->op);
    for (const SpellingIndex::Match& match : matches) {
      pairs.push_back({match.distance, s, match.id, match.name});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <typename T>
void KeepUnused(const std::vector<bool>& used, std::vector<T>& values) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!used[i]) kept.push_back(values[i]);
  }
  values = std::move(kept);
}

}  // namespace

void FindNearMisses(ListIndex& index) {
  if (index.stale.empty() || index.unclassified.empty()) return;
  std::vector<bool> stale_used(index.stale.size());
  std::vector<bool> unclassified_used(index.unclassified.size());
  const std::vector<Pair> pairs = FindPairs(index);
  for (const Pair& pair : pairs) {
    if (stale_used[pair.stale] || unclassified_used[pair.unclassified]) continue;
    stale_used[pair.stale] = true;
    unclassified_used[pair.unclassified] = true;
    index.near_misses.push_back(
        {index.stale[pair.stale], index.unclassified[pair.unclassified], std::string(pair.meant)});
  }
  KeepUnused(stale_used, index.stale);
  KeepUnused(unclassified_used, index.unclassified);
}

}  // namespace opledger
