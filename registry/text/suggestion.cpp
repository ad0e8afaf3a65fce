// Suggests names ("did you mean") by edit distance.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/suggestion.h"

#include <algorithm>
#include <cstdlib>

#include "registry/text/text.h"

namespace opledger {
std::string SpellingKey(std::string_view name) {
  std::string key;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return key;
}

int EditDistance(std::string_view a, std::string_view b, int limit) {
  const int rows = static_cast<int>(a.size());
  const int columns = static_cast<int>(b.size());
  if (std::abs(rows - columns) > limit) return limit + 1;
  // Three rows of the table: the second to last, the last and the current one.
  std::vector<int> two_before(columns + 1), before(columns + 1), current(columns + 1);
  for (int j = 0; j <= columns; ++j) before[j] = j;
  for (int i = 1; i <= rows; ++i) {
    current[0] = i;
    int minimum = i;
    for (int j = 1; j <= columns; ++j) {
      const int replace = before[j - 1] + (a[i - 1] != b[j - 1]);
      current[j] = std::min({before[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], two_before[j - 2] + 1);
      }
      minimum = std::min(minimum, current[j]);
    }
    // A swap refers to two rows before, so one row above the limit is not enough to stop.
    const int minimum_before = *std::min_element(before.begin(), before.end());
    if (minimum > limit && minimum_before > limit) return limit + 1;
    std::swap(two_before, before);
    std::swap(before, current);
  }
  return std::min(before[columns], limit + 1);
}

std::optional<std::string> NearestName(std::string_view word,
                                       const std::vector<std::string>& known) {
  const int limit = word.size() <= 4 ? 1 : 2;
  const std::string lower = LowerCase(word);
  const std::string key = SpellingKey(word);
  int best = limit + 1;
  const std::string* nearest = nullptr;
  for (const std::string& name : known) {
    const bool same = key == SpellingKey(name);
    const int distance = same ? 0 : EditDistance(lower, LowerCase(name), best - 1);
    if (distance >= best) continue;
    best = distance;
    nearest = &name;
    if (best == 0) break;
  }
  if (nearest == nullptr) return std::nullopt;
  return *nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = NearestName(word, known);
  return nearest ? "did you mean '" + *nearest + "'?" : std::string();
}

namespace {

constexpr std::size_t kShortestPart = 3;
constexpr std::size_t kMaxProposals = 3;

bool IsBorder(char c) { return c == '-' || c == '_'; }

// Returns whether the name contains the part with a separator or an end of the name on both sides.
bool HasPart(std::string_view name, std::string_view part) {
  for (std::size_t at = name.find(part); at != std::string_view::npos;
       at = name.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || IsBorder(name[at - 1])) && (end == name.size() || IsBorder(name[end]))) {
      return true;
    }
  }
  return false;
}

// Returns the names that fit, or none if there are too many.
template <typename Fits>
std::vector<std::string> NamesWith(const std::vector<std::string>& known, Fits fits) {
  std::vector<std::string> names;
  for (const std::string& name : known) {
    if (fits(LowerCase(name))) names.push_back(name);
  }
  if (names.size() > kMaxProposals) names.clear();
  return names;
}

}  // namespace

std::string Proposal(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest = DidYouMean(word, known);
  if (!nearest.empty() || SpellingKey(word).size() < kShortestPart) return nearest;
  const std::string part = LowerCase(word);
  std::vector<std::string> names =
      NamesWith(known, [&](const std::string& name) { return name.starts_with(part); });
  if (names.empty()) {
    names = NamesWith(known, [&](const std::string& name) { return HasPart(name, part); });
  }
  std::string hint;
  for (std::size_t i = 0; i < names.size(); ++i) {
    hint += i == 0 ? "did you mean " : i + 1 < names.size() ? ", " : " or ";
    hint += "'" + names[i] + "'";
  }
  return hint.empty() ? hint : hint + "?";
}

std::string ChoiceHint(std::string_view word, const std::vector<std::string>& choices) {
  std::string hint = Proposal(word, choices);
  if (!hint.empty() || choices.empty()) return hint;
  hint = "it can be " + choices.front();
  for (std::size_t i = 1; i < choices.size(); ++i) {
    hint += (i + 1 < choices.size() ? ", " : " or ") + choices[i];
  }
  return hint;
}

}  // namespace opledger
