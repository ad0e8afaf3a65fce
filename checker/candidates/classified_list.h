// The operators that a list gives a policy, by their features: what a new one is compared with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <vector>

#include "checker/candidates/feature.h"
#include "checker/index/index.h"
#include "registry/precision_list/policy.h"

namespace opledger {

// Of operators, by policy. Not whole where several lists share a vote.
using PolicyCounts = std::array<double, std::size(kPolicies)>;
double Sum(const PolicyCounts& counts);

struct ClassifiedOperator {
  const Operator* op = nullptr;
  Policy policy = Policy::kFp32;
};

// A classified operator, and how much it has in common with another: 0 to 1.
struct Likeness {
  int index = 0;
  double similarity = 0;
};

// The operators that exist and stand in a list, each once, by the first entry that names it.
std::vector<ClassifiedOperator> ClassifiedOperators(const ListIndex& list);

// Those, and where the framework runs an operator without an entry under one policy, the others
// that are no new ones: that they have none is a decision, too.
std::vector<ClassifiedOperator> DecidedOperators(const CheckIndex& index, const ListIndex& list);

class ClassifiedList {
 public:
  static constexpr int kNobody = -1;

  // The operators must outlive this.
  explicit ClassifiedList(std::vector<ClassifiedOperator> operators);

  const std::vector<ClassifiedOperator>& operators() const { return operators_; }
  const std::vector<Feature>& features(int index) const { return features_[index]; }

  // What follows is as if the operator `without` were not in the list.
  PolicyCounts Policies(int without) const;
  PolicyCounts WithFeature(const Feature& feature, int without) const;
  // The operators that share most with these features, a rare feature counting more than a common
  // one: the cosine of their features weighted by inverse frequency. At most `most`, the most
  // similar first, of equals by name.
  std::vector<Likeness> NearestNeighbours(const std::vector<Feature>& features, std::size_t most,
                                          int without) const;
  // The operator whose name shares the most words with this one, at least half of the longer
  // one's; of equals the one spelled most alike. `kNobody` where there is none.
  Likeness NearestByName(std::string_view name, const std::vector<Feature>& features,
                         int without) const;
  // The feature that it is; its value is "none" where there is none.
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
  std::vector<double> lengths_;  // of the features' vectors
  std::vector<int> words_;       // in the names
  std::map<Feature, Users> by_feature_;
  PolicyCounts policies_ = {};
};

}  // namespace opledger
