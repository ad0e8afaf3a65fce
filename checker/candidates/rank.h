// Which policy fits an operator: the policies of the operators that share its features, each
// kind of feature weighed by how far it could be trusted in the lists of other frameworks.
//   score(policy) = sum over features of weight(kind) * log P(feature | policy)
// where P is counted in the list at hand and, as far as that is small, in others' lists. A naive
// Bayes classifier whose weights make up for features that say the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/candidates/policy_priors.h"
#include "checker/findings/findings.h"

namespace opledger {

// What one feature says.
struct FeatureTerm {
  Feature feature;
  PolicyCounts logarithms = {};  // by policy; their mean is 0
  PolicyCounts counts = {};      // of operators that share it, what is shown of it
  bool elsewhere = false;        // the counts are those of other lists
  std::vector<Likeness> alike;   // of kAlike and kSibling
};

// Whom an operator is held against.
struct Neighbours {
  std::vector<Likeness> most_similar;
  Likeness nearest;  // by name
};

// As if the operator `without` were not in the list.
Neighbours FindNeighbours(const std::string& name, const std::vector<Feature>& features,
                          const ClassifiedList& list, int without);

// What all of its features say, the list's own shares first.
std::vector<FeatureTerm> ReadTerms(const std::vector<Feature>& features,
                                   const Neighbours& neighbours, const ClassifiedList& list,
                                   const PolicyPriors& priors, int without);

// Every policy, the likeliest first; probabilities add up to 1.
std::vector<Candidate> RankPolicies(const std::vector<FeatureTerm>& terms,
                                    const ClassifiedList& list, const PolicyPriors& priors);

}  // namespace opledger
