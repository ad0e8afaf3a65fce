// Suggests policies for operators that have none. Ranks the policies by naive Bayes over the
// operator's features and those of the operators that the list classifies, and keeps the evidence.
// May include: checker/findings, checker/index, checker/terminal, registry/json, registry/manifest,
// registry/platform, registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/candidates/policy_priors.h"
#include "checker/index/index.h"

namespace opledger {

// Reports a warning and returns empty priors if the file cannot be read. Nothing is ranked then,
// but the check continues.
PolicyPriors ShippedPriors(Diagnostics& diagnostics);

// The operator fields that candidates and DescribeOperator() read.
inline constexpr const char* kCandidateFields[] = {
    "num_inputs",     "arguments",  "inputs",           "outputs", "type_inference", "gradient",
    "mutated_inputs", "parameters", "attribute_values", "dtypes",  "kernels"};

// Adds candidates, their evidence (as notes) and the command that classifies the operator to every
// finding of unclassified-operator. Adds only the command if the shipped priors cannot be read.
void AddCandidates(const CheckIndex& index, std::vector<Finding>& findings,
                   Diagnostics& diagnostics);

// Returns whether the best candidate is likelier than all others together.
bool IsSuggestion(const std::vector<Candidate>& candidates);

// Scales the probabilities to the measured share of correct suggestions. `decided` is the number of
// classified operators of the list. If the list names only a few of the operators that need a
// policy, these may not be representative, so the probabilities are halved.
void Calibrate(const ListIndex& list, std::size_t decided, std::vector<Candidate>& candidates);

// Returns up to three lines, one per likely candidate, the likeliest first. Each line gives at most
// `most` pieces of evidence.
//   "suggested: 'fp32' (93 %): 8 of the 10 operators most like it ('a', 'b'); 6 of 7 operators with
//   ..."
std::vector<std::string> CandidateLines(const std::vector<Candidate>& candidates, std::size_t most);

}  // namespace opledger
