// The operators that a list classifies, indexed by their features. New operators are compared with
// them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <vector>

#include "checker/candidates/feature.h"
#include "checker/index/index.h"
#include "registry/precision_list/policy.h"

namespace opledger {

// The number of operators with each policy. Fractional if several lists share one vote.
using PolicyCounts = std::array<double, std::size(kPolicies)>;
double Sum(const PolicyCounts& counts);

struct ClassifiedOperator {
  const Operator* op = nullptr;
  Policy policy = Policy::kFp32;
};

// A classified operator and its similarity to another one, from 0 to 1.
struct Likeness {
  int index = 0;  // in ClassifiedList::operators()
  double similarity = 0;
};

// Returns the operators that exist and have an entry, each once, with the first entry that names
// it.
std::vector<ClassifiedOperator> ClassifiedOperators(const ListIndex& list);

// Like ClassifiedOperators(). If the framework runs operators without an entry under a fixed
// policy, adds those that are not new, because omitting them was a decision, too.
std::vector<ClassifiedOperator> DecidedOperators(const CheckIndex& index, const ListIndex& list);

class ClassifiedList {
 public:
  static constexpr int kNobody = -1;

  // The operators that the elements point to must outlive this object.
  explicit ClassifiedList(std::vector<ClassifiedOperator> operators);

  const std::vector<ClassifiedOperator>& operators() const { return operators_; }
  const std::vector<Feature>& features(int index) const { return features_[index]; }

  // The functions below ignore the operator `without`; kNobody ignores none.
  // Returns the counts of all operators.
  PolicyCounts Policies(int without) const;
  // Returns the counts of the operators with the feature.
  PolicyCounts WithFeature(const Feature& feature, int without) const;
  // Returns at most `most` operators, the most similar first, ties by name. The similarity is the
  // cosine of the features weighted by inverse frequency, so that a rare feature counts more.
  std::vector<Likeness> NearestNeighbours(const std::vector<Feature>& features, std::size_t most,
                                          int without) const;
  // Returns the operator whose name shares the most words with `name`, at least half of the longer
  // name's. Of equals, the one with the smallest edit distance. The index is kNobody if there is
  // none.
  Likeness NearestByName(std::string_view name, const std::vector<Feature>& features,
                         int without) const;
  // Returns the feature that `nearest` stands for; its value is "none" if the index is kNobody.
  Feature SiblingFeature(const Likeness& nearest) const;

 private:
  struct Users {
    PolicyCounts policies = {};
    std::vector<int> operators;
  };
  double Rarity(const Users* users, bool present) const;
  const Users* Find(const Feature& feature) const;

  std::vector<ClassifiedOperator> operators_;
  std::vector<std::vector<Feature>> features_;
  std::vector<double> lengths_;  // norms of the feature vectors
  std::vector<int> words_;       // words in the names
  std::map<Feature, Users> by_feature_;
  PolicyCounts policies_ = {};
};

}  // namespace opledger
