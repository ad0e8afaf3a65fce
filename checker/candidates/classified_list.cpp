// Counts features and searches for similar operators.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/classified_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "registry/text/suggestion.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr int kMaxNameEdits = 32;
constexpr double kNear = 0.7;  // minimum share of words in common

int CountWords(const std::vector<Feature>& features) {
  return static_cast<int>(
      std::count_if(features.begin(), features.end(),
                    [](const Feature& feature) { return feature.kind == FeatureKind::kWord; }));
}

}  // namespace

double Sum(const PolicyCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

std::vector<ClassifiedOperator> ClassifiedOperators(const ListIndex& list) {
  std::vector<ClassifiedOperator> operators;
  std::set<const Operator*> seen;
  for (const EntryUse& use : list.uses) {
    if (use.op == nullptr || !seen.insert(use.op).second) continue;
    operators.push_back({use.op, use.entry->policy});
  }
  return operators;
}

std::vector<ClassifiedOperator> DecidedOperators(const CheckIndex& index, const ListIndex& list) {
  std::vector<ClassifiedOperator> operators = ClassifiedOperators(list);
  if (!list.list->unlisted) return operators;
  for (const Operator* op : list.unclassified) {
    if (!index.NeedsEntry(*op, list)) operators.push_back({op, *list.list->unlisted});
  }
  return operators;
}

ClassifiedList::ClassifiedList(std::vector<ClassifiedOperator> operators)
    : operators_(std::move(operators)) {
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    const auto policy = static_cast<std::size_t>(operators_[i].policy);
    ++policies_[policy];
    features_.push_back(ReadFeatures(*operators_[i].op));
    words_.push_back(CountWords(features_.back()));
    for (const Feature& feature : features_.back()) {
      Users& users = by_feature_[feature];
      ++users.policies[policy];
      users.operators.push_back(static_cast<int>(i));
    }
  }
  for (const std::vector<Feature>& features : features_) {
    double length = 0;
    for (const Feature& feature : features) length += std::pow(Rarity(Find(feature), true), 2);
    lengths_.push_back(std::sqrt(length));
  }
}

Feature ClassifiedList::SiblingFeature(const Likeness& nearest) const {
  if (nearest.index == kNobody) return {FeatureKind::kSibling, "none"};
  const std::string distance = nearest.similarity > kNear ? "near " : "far ";
  return {FeatureKind::kSibling, distance + PolicyName(operators_[nearest.index].policy)};
}

const ClassifiedList::Users* ClassifiedList::Find(const Feature& feature) const {
  const auto found = by_feature_.find(feature);
  return found == by_feature_.end() ? nullptr : &found->second;
}

PolicyCounts ClassifiedList::Policies(int without) const {
  PolicyCounts counts = policies_;
  if (without != kNobody) --counts[static_cast<std::size_t>(operators_[without].policy)];
  return counts;
}

PolicyCounts ClassifiedList::WithFeature(const Feature& feature, int without) const {
  const Users* users = Find(feature);
  if (users == nullptr) return {};
  PolicyCounts counts = users->policies;
  if (without == kNobody) return counts;
  if (std::binary_search(features_[without].begin(), features_[without].end(), feature)) {
    --counts[static_cast<std::size_t>(operators_[without].policy)];
  }
  return counts;
}

// Returns the inverse frequency of a feature. `present` says whether the operator that is compared
// is itself in the list; otherwise it is added to the count.
double ClassifiedList::Rarity(const Users* users, bool present) const {
  const double more = present ? 0 : 1;
  const double having = (users == nullptr ? 0.0 : static_cast<double>(users->operators.size()));
  return std::log((static_cast<double>(operators_.size()) + more) / (having + more));
}

std::vector<Likeness> ClassifiedList::NearestNeighbours(const std::vector<Feature>& features,
                                                        std::size_t most, int without) const {
  std::vector<double> shared(operators_.size(), 0);
  double length = 0;
  for (const Feature& feature : features) {
    const Users* users = Find(feature);
    const double squared = std::pow(Rarity(users, without != kNobody), 2);
    length += squared;
    if (users == nullptr) continue;
    for (const int index : users->operators) shared[index] += squared;
  }
  std::vector<Likeness> most_similar;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const double lengths = std::sqrt(length) * lengths_[i];
    if (static_cast<int>(i) == without || shared[i] <= 0 || lengths <= 0) continue;
    most_similar.push_back({static_cast<int>(i), shared[i] / lengths});
  }
  const auto before = [this](const Likeness& a, const Likeness& b) {
    if (a.similarity != b.similarity) return a.similarity > b.similarity;
    return operators_[a.index].op->name < operators_[b.index].op->name;
  };
  const std::size_t count = std::min(most, most_similar.size());
  std::partial_sort(most_similar.begin(), most_similar.begin() + static_cast<std::ptrdiff_t>(count),
                    most_similar.end(), before);
  most_similar.resize(count);
  return most_similar;
}

Likeness ClassifiedList::NearestByName(std::string_view name, const std::vector<Feature>& features,
                                       int without) const {
  std::map<int, int> shared;  // index -> words in common
  for (const Feature& feature : features) {
    const Users* users = feature.kind == FeatureKind::kWord ? Find(feature) : nullptr;
    if (users == nullptr) continue;
    for (const int index : users->operators) ++shared[index];
  }
  const int words = CountWords(features);
  Likeness nearest = {kNobody, 0.5};
  int best_distance = 0;
  for (const auto& [index, count] : shared) {
    const double similarity = static_cast<double>(count) / std::max(words_[index], words);
    if (index == without || similarity < nearest.similarity) continue;
    const std::string_view other = operators_[index].op->name;
    const int distance =
        EditDistance(name.substr(0, kLongestName), other.substr(0, kLongestName), kMaxNameEdits);
    const bool tie = nearest.index != kNobody && similarity == nearest.similarity;
    if (tie && distance >= best_distance) continue;
    nearest = {index, similarity};
    best_distance = distance;
  }
  return nearest;
}

}  // namespace opledger
