// The operators that a list gives a policy, by the clues they have: what to hold a new one against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <vector>

#include "checker/candidates/clue.h"
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

class ClassifiedList {
 public:
  static constexpr int kNobody = -1;

  // The operators must outlive this.
  explicit ClassifiedList(std::vector<ClassifiedOperator> operators);

  const std::vector<ClassifiedOperator>& operators() const { return operators_; }
  const std::vector<Clue>& clues(int index) const { return clues_[index]; }

  // What follows is as if the operator `without` were not in the list.
  PolicyCounts Policies(int without) const;
  PolicyCounts WithClue(const Clue& clue, int without) const;
  // The operators that share most with these clues, a rare clue counting more than a common one:
  // the cosine of their clues weighted by inverse frequency. At most `most`, the likest first, of
  // equals by name.
  std::vector<Likeness> Likest(const std::vector<Clue>& clues, std::size_t most, int without) const;
  // The operator whose name shares the most words with this one, at least half of the longer
  // one's; of equals the one spelled most alike. `kNobody` where there is none.
  Likeness NearestByName(std::string_view name, const std::vector<Clue>& clues, int without) const;
  // The clue that it is; its value is "none" where there is none.
  Clue SiblingClue(const Likeness& nearest) const;

 private:
  struct Users {
    PolicyCounts policies = {};
    std::vector<int> operators;
  };
  double Rarity(const Users* users, bool present) const;
  const Users* Find(const Clue& clue) const;

  std::vector<ClassifiedOperator> operators_;
  std::vector<std::vector<Clue>> clues_;
  std::vector<double> lengths_;  // of the clues' vectors
  std::vector<int> words_;       // in the names
  std::map<Clue, Users> by_clue_;
  PolicyCounts policies_ = {};
};

}  // namespace opledger
