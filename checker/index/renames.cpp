// Compares the operators of a file in the order of their lines. Operators that both revisions have
// are fixed points; removed and added operators between two fixed points are paired by name.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/renames.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {
namespace {

constexpr double kSimilar = 0.5;     // minimum similarity of names, as for renamed files in git
constexpr std::size_t kTelling = 3;  // facts that two operators hardly share by chance
constexpr std::size_t kMaxPairs = 10'000;  // of removed and added operators between fixed points
constexpr std::size_t kMaxName = 200;      // bytes; the rest of longer names is ignored

using ByFile = std::map<std::string, std::vector<const Operator*>, std::less<>>;

ByFile OperatorsByFile(const CheckIndex& index) {
  ByFile files;
  for (const Operator& op : index.manifest().operators) {
    if (op.CanExist() && !op.sites.empty()) {
      files[op.sites.front().location.path.text()].push_back(&op);
    }
  }
  for (auto& [path, operators] : files) {
    std::stable_sort(operators.begin(), operators.end(), [](const Operator* a, const Operator* b) {
      return a->sites.front().location < b->sites.front().location;
    });
  }
  return files;
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns twice the length of the longest common subsequence, divided by the sum of the lengths.
// Returns 1 for equal names.
double Similarity(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxName);
  b = b.substr(0, kMaxName);
  std::vector<std::size_t> row(b.size() + 1);
  for (const char letter : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = letter == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  const std::size_t both = a.size() + b.size();
  return both == 0 ? 1 : 2 * static_cast<double>(row.back()) / static_cast<double>(both);
}

bool IsSamePlace(const Operator& old, const Operator& now, double similarity) {
  for (const Alias& alias : now.aliases) {
    if (alias.name == old.name) return true;  // it keeps the old name as an alias
  }
  if (old.sites.front().macro != now.sites.front().macro) return false;
  if (similarity >= kSimilar) return true;
  std::size_t facts = 0;
  for (const auto& [field, values] : now.fields) facts += values.size();
  return facts >= kTelling && old.fields == now.fields;
}

using Renames = std::map<const Operator*, const Operator*>;

// Pairs the most similar names first.
void Pair(const std::vector<const Operator*>& went, const std::vector<const Operator*>& came,
          Renames& renames) {
  if (went.empty() || came.empty() || went.size() * came.size() > kMaxPairs) return;
  struct Candidate {
    double similarity = 0;
    std::size_t old = 0;
    std::size_t now = 0;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < went.size(); ++i) {
    for (std::size_t j = 0; j < came.size(); ++j) {
      const double similarity = Similarity(went[i]->name, came[j]->name);
      if (IsSamePlace(*went[i], *came[j], similarity)) candidates.push_back({similarity, i, j});
    }
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.similarity > b.similarity; });
  std::set<std::size_t> used;
  for (const Candidate& each : candidates) {
    if (used.contains(each.old) || renames.contains(came[each.now])) continue;
    used.insert(each.old);
    renames.emplace(came[each.now], went[each.old]);
  }
}

// Compares the operators of one file in both revisions.
void Compare(const CheckIndex& before, const CheckIndex& after,
             const std::vector<const Operator*>& old, const std::vector<const Operator*>& now,
             Renames& renames) {
  std::size_t next = 0;  // index into `old`
  std::vector<const Operator*> came;
  const auto pair_up_to = [&](std::size_t end) {
    std::vector<const Operator*> went;
    for (; next < end; ++next) {
      if (after.Primary(old[next]->name) == nullptr) went.push_back(old[next]);
    }
    Pair(went, came, renames);
    came.clear();
  };
  for (const Operator* const op : now) {
    if (before.Primary(op->name) == nullptr) {
      came.push_back(op);
      continue;
    }
    const auto fixed = std::find_if(old.begin() + static_cast<std::ptrdiff_t>(next), old.end(),
                                    [&](const Operator* each) { return each->name == op->name; });
    if (fixed != old.end()) pair_up_to(static_cast<std::size_t>(fixed - old.begin()));
  }
  pair_up_to(old.size());
}

}  // namespace

std::map<const Operator*, const Operator*> FindRenames(const CheckIndex& before,
                                                       const CheckIndex& after) {
  Renames renames;
  const ByFile files = OperatorsByFile(before);
  const ByFile files_now = OperatorsByFile(after);
  std::map<std::string_view, const std::vector<const Operator*>*> gone;  // removed files by name
  for (const auto& [path, operators] : files) {
    if (!files_now.contains(path)) gone.emplace(FileName(path), &operators);
  }
  for (const auto& [path, operators] : files_now) {
    const bool any = std::any_of(operators.begin(), operators.end(), [&](const Operator* op) {
      return before.Primary(op->name) == nullptr;
    });
    if (!any) continue;
    if (const auto same = files.find(path); same != files.end()) {
      Compare(before, after, same->second, operators, renames);
    } else if (const auto moved = gone.find(FileName(path)); moved != gone.end()) {
      Compare(before, after, *moved->second, operators, renames);
    }
  }
  return renames;
}

}  // namespace opledger
