// Runs the model once for each set of nodes, and remembers the error.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/tuning.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace opledger {
namespace {

using NodeSet = std::vector<std::size_t>;  // sorted

class TuningSearch {
 public:
  TuningSearch(const std::vector<double>& contributions, double max_error,
               const ErrorWhereKept& error, const std::function<bool()>& stop)
      : contributions_(contributions), max_error_(max_error), error_(error), stop_(stop) {}

  std::optional<Tuning> Run();

 private:
  double ErrorOf(NodeSet kept, double enough = std::numeric_limits<double>::infinity());
  bool IsEnough(const NodeSet& kept) { return ErrorOf(kept, max_error_) <= max_error_; }
  NodeSet All() const;
  NodeSet Ranked();
  NodeSet Bisect(const NodeSet& ranked);
  NodeSet Prune(NodeSet kept);
  NodeSet Best() const;
  std::optional<double> Known(const NodeSet& kept) const;

  std::vector<double> contributions_;
  double max_error_;
  const ErrorWhereKept& error_;
  const std::function<bool()>& stop_;
  std::map<NodeSet, double> known_;
  std::size_t runs_ = 0;
  bool stopped_ = false;
  bool failed_ = false;
};

double TuningSearch::ErrorOf(NodeSet kept, double enough) {
  std::sort(kept.begin(), kept.end());
  const auto found = known_.find(kept);
  if (found != known_.end()) return found->second;
  stopped_ = stopped_ || (runs_ >= 2 && stop_());
  if (stopped_ || failed_) return std::numeric_limits<double>::infinity();
  ++runs_;
  const auto error = error_(kept, enough);
  if (error) return known_[std::move(kept)] = *error;
  (stop_() ? stopped_ : failed_) = true;
  return std::numeric_limits<double>::infinity();
}

std::optional<double> TuningSearch::Known(const NodeSet& kept) const {
  const auto found = known_.find(kept);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

// Returns the smallest set that is known to be enough. There is one: all nodes.
NodeSet TuningSearch::Best() const {
  const NodeSet* best = nullptr;
  for (const auto& [kept, error] : known_) {
    if (error <= max_error_ && (best == nullptr || kept.size() < best->size())) best = &kept;
  }
  return *best;
}

NodeSet TuningSearch::All() const {
  NodeSet all(contributions_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Returns all nodes, those with the largest contributions first. If there are few nodes, measures
// their contributions: the error with only that node not in float32.
NodeSet TuningSearch::Ranked() {
  NodeSet all = All();
  if (all.size() <= kFewNodes) {
    for (const std::size_t node : All()) {
      NodeSet others = All();
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(node));
      contributions_[node] = ErrorOf(others);
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
    return contributions_[a] > contributions_[b];
  });
  return all;
}

// Finds how many nodes of the ranking are enough: the fewest if the error is monotonic.
NodeSet TuningSearch::Bisect(const NodeSet& ranked) {
  std::size_t too_few = 0;
  std::size_t enough = ranked.size();
  while (enough - too_few > 1) {
    const std::size_t middle = (too_few + enough) / 2;
    const NodeSet some(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(middle));
    (IsEnough(some) ? enough : too_few) = middle;
  }
  return {ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(enough)};
}

// Removes groups of adjacent nodes, beginning with half of all nodes and ending with single ones,
// until no node can be removed.
NodeSet TuningSearch::Prune(NodeSet kept) {
  for (std::size_t length = std::max<std::size_t>(1, kept.size() / 2);;) {
    bool left_out = false;
    // The smallest contributions are last: they are tried first.
    for (std::size_t end = kept.size(); end > 0;) {
      const std::size_t begin = end - std::min(length, end);
      NodeSet fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (IsEnough(fewer)) {
        kept = std::move(fewer);
        left_out = true;
      }
      end = std::min(begin, kept.size());
    }
    if (length == 1 && !left_out) return kept;
    if (length > 1) length = (length + 1) / 2;
  }
}

std::optional<Tuning> TuningSearch::Run() {
  Tuning tuning;
  if (ErrorOf({}) > max_error_) tuning.kept = All();
  tuning.met = ErrorOf(tuning.kept) <= max_error_;
  if (tuning.met && !tuning.kept.empty()) {
    tuning.kept = Prune(Bisect(Ranked()));
    if (stopped_) tuning.kept = Best();
    std::sort(tuning.kept.begin(), tuning.kept.end());
  }
  tuning.before = Known({});
  tuning.error = Known(tuning.kept);
  tuning.runs = runs_;
  tuning.stopped = stopped_;
  if (failed_) return std::nullopt;
  return tuning;
}

}  // namespace

std::optional<Tuning> Tune(const std::vector<double>& contributions, double max_error,
                           const ErrorWhereKept& error, const std::function<bool()>& stop) {
  return TuningSearch(contributions, max_error, error, stop).Run();
}

}  // namespace opledger
