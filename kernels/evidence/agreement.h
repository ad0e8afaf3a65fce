// Compares recommended policies with those of a list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/evidence/policy_rule.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// One kernel, or one kind of it, in one type.
struct OperatorEvidence {
  const Probe* probe = nullptr;
  Dtype dtype = Dtype::kFloat16;
  Measurement measurement;
  RecommendedPolicy computed;  // for the kernel's own rounding
  RecommendedPolicy stepwise;  // if every intermediate result were rounded
};

struct Difference {
  const OperatorEvidence* evidence = nullptr;
  std::string op;  // its name in the list
  Policy listed = Policy::kEither;
};

struct ListedOperator {
  std::string_view kernel;
  std::string op;  // its name in the list
  Policy policy = Policy::kEither;
};

struct Agreement {
  std::size_t named = 0;     // operators that the list names and that were measured
  std::size_t computed = 0;  // how many of them have the list's policy
  std::size_t stepwise = 0;
  std::size_t commonest = 0;            // how many have the list's most frequent policy
  std::vector<Difference> differences;  // from `computed`
  std::vector<ListedOperator> listed;   // those in `named`
};

// Compares the policies. `widest` and `either` count as equal: both leave the choice to the
// surrounding nodes.
Agreement Agree(const std::vector<OperatorEvidence>& all, const PrecisionList& list);

}  // namespace opledger
