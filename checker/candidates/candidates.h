// Policies that fit an operator without one, with the evidence for each: its features, and
// those of the operators that the list classifies, ranked by naive Bayes.
// May include: checker/findings, checker/index, checker/terminal, registry/json, registry/manifest,
// registry/platform, registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/candidates/policy_priors.h"
#include "checker/index/index.h"

namespace opledger {

// Where they cannot be read: a warning, and none; then nothing is ranked, which is no reason not to
// check.
PolicyPriors ShippedPriors(Diagnostics& diagnostics);

// The fields of operators that candidates, and the line that describes an operator, come from.
inline constexpr const char* kCandidateFields[] = {
    "num_inputs",     "arguments",  "inputs",           "outputs", "type_inference", "gradient",
    "mutated_inputs", "parameters", "attribute_values", "dtypes",  "kernels"};

// Adds to every finding of unclassified-operator: the candidates, the evidence for them as notes,
// and the command that classifies. Where the shipped priors cannot be read, only the command.
void AddCandidates(const CheckIndex& index, std::vector<Finding>& findings,
                   Diagnostics& diagnostics);

// Whether the best of them is a suggestion: likelier than all others together.
bool IsSuggestion(const std::vector<Candidate>& candidates);

// Makes of ranks what was measured to be right so often; `decided` operators of the list were
// looked at. Of a list that names few of those that need a policy nobody knows how these were
// chosen, and what they say of another is worth half.
void Calibrate(const ListIndex& list, std::size_t decided, std::vector<Candidate>& candidates);

// One line per candidate that has a chance, the likeliest first, each with at most `most` of what
// supports it.
//   "suggested: 'fp32' (93 %): 8 of the 10 operators most like it ('a', 'b'); 6 of 7 operators with
//   ..."
std::vector<std::string> CandidateLines(const std::vector<Candidate>& candidates, std::size_t most);

}  // namespace opledger
