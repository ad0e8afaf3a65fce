// Ranks the policies for an operator by those of the operators that share its features. Each kind
// of feature is weighted by its reliability in the lists of other frameworks.
//   score(policy) = sum over features of weight(kind) * log P(feature | policy)
// P is counted in the list and, where that has few operators, in others' lists. This is a naive
// Bayes classifier whose weights make up for dependent features.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/candidates/policy_priors.h"
#include "checker/findings/findings.h"

namespace opledger {

// The evidence of one feature.
struct FeatureTerm {
  Feature feature;
  PolicyCounts logarithms = {};  // by policy; mean 0
  PolicyCounts counts = {};      // operators that share the feature, as shown
  bool elsewhere = false;        // the counts are from other lists
  std::vector<Likeness> alike;   // for kAlike and kSibling
};

// The operators that an operator is compared with.
struct Neighbours {
  std::vector<Likeness> most_similar;
  Likeness nearest;  // by name
};

// Ignores the operator `without` of the list.
Neighbours FindNeighbours(const std::string& name, const std::vector<Feature>& features,
                          const ClassifiedList& list, int without);

// Returns the evidence of all features, that of the list's own shares first.
std::vector<FeatureTerm> ReadTerms(const std::vector<Feature>& features,
                                   const Neighbours& neighbours, const ClassifiedList& list,
                                   const PolicyPriors& priors, int without);

// Returns every policy, the likeliest first. The probabilities add up to 1.
std::vector<Candidate> RankPolicies(const std::vector<FeatureTerm>& terms,
                                    const ClassifiedList& list, const PolicyPriors& priors);

}  // namespace opledger
