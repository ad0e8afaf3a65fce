// Compares a few words with many names.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/spelling.h"

#include <algorithm>
#include <bitset>

#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestMisspelled = 200;
constexpr std::size_t kMaxMatches = 8;
constexpr int kMaxComparisons = 1'000'000;

constexpr int kMaxEdits = 2;

// Returns the length of the common namespace, such as "aten::" of aten::qr and aten::erf.
std::size_t SharedNamespace(std::string_view a, std::string_view b) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i) {
    if (a[i] == ':' || a[i] == '.' || a[i] == '/') shared = i + 1;
  }
  return shared;
}

// With two edits, names of up to four letters could be anything.
int Limit(std::string_view a, std::string_view b) {
  return std::min(a.size(), b.size()) - SharedNamespace(a, b) <= 4 ? 1 : kMaxEdits;
}

std::uint64_t Letters(std::string_view text) {
  std::uint64_t letters = 0;
  for (const char c : text) letters |= std::uint64_t{1} << (static_cast<unsigned char>(c) & 63U);
  return letters;
}

}  // namespace

void SpellingIndex::Add(std::string_view name, std::size_t id) {
  if (name.size() > kLongestMisspelled) return;
  std::string lower = LowerCase(name);
  const std::uint64_t letters = Letters(lower);
  by_key_[SpellingKey(name)].push_back({0, id, name});
  by_length_[name.size()].push_back({std::move(lower), letters, name, id});
}

std::vector<SpellingIndex::Match> SpellingIndex::Near(std::string_view word) const {
  std::vector<Match> matches;
  if (word.size() > kLongestMisspelled) return matches;
  const std::string key = SpellingKey(word);
  const auto same = by_key_.find(key);
  if (same != by_key_.end()) matches = same->second;
  const std::string lower = LowerCase(word);
  const std::uint64_t letters = Letters(lower);
  const std::size_t shortest = word.size() - std::min<std::size_t>(word.size(), kMaxEdits);
  for (auto bucket = by_length_.lower_bound(shortest);
       bucket != by_length_.end() && bucket->first <= word.size() + kMaxEdits; ++bucket) {
    for (const Known& known : bucket->second) {
      const std::bitset<64> differ(letters ^ known.letters);
      const int limit = Limit(word, known.name);
      if (differ.count() > 2U * limit) continue;
      if (++comparisons_ > kMaxComparisons) return {};
      const int distance = EditDistance(lower, known.lower, limit);
      if (distance > limit || SpellingKey(known.name) == key) continue;
      matches.push_back({distance, known.id, known.name});
    }
  }
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  });
  if (matches.size() > kMaxMatches) matches.resize(kMaxMatches);
  return matches;
}

}  // namespace opledger
