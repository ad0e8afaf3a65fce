// Which policy an operator may want: the policies of the operators that share its clues, each kind
// of clue weighed by how far it could be trusted in the lists of other frameworks.
//   score(policy) = sum over clues of weight(kind) * log P(clue | policy)
// where P is counted in the list at hand and, as far as that is small, in others' lists. A naive
// Bayes classifier whose weights make up for clues that say the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/candidates/policy_priors.h"
#include "checker/findings/finding.h"

namespace opledger {

// What one clue says.
struct ClueTerm {
  Clue clue;
  PolicyCounts logarithms = {};  // by policy; their mean is 0
  PolicyCounts counts = {};      // of operators that share it, what is shown of it
  bool elsewhere = false;        // the counts are those of other lists
  std::vector<Likeness> alike;   // of kAlike and kSibling
};

// Whom an operator is held against.
struct Neighbours {
  std::vector<Likeness> likest;
  Likeness nearest;  // by name
};

// As if the operator `without` were not in the list.
Neighbours FindNeighbours(const std::string& name, const std::vector<Clue>& clues,
                          const ClassifiedList& list, int without);

// What all of its clues say, the list's own shares first.
std::vector<ClueTerm> ReadTerms(const std::vector<Clue>& clues, const Neighbours& neighbours,
                                const ClassifiedList& list, const PolicyPriors& priors,
                                int without);

// Every policy, the likeliest first; probabilities add up to 1.
std::vector<Candidate> RankPolicies(const std::vector<ClueTerm>& terms, const ClassifiedList& list,
                                    const PolicyPriors& priors);

}  // namespace opledger
