// What the lists of other frameworks teach: how far each kind of clue can be trusted, and which
// policies go with which clues. File: registry/priors/policies.json, which
// tests/checker/suggestions_test.py makes; schemas/policy-priors.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "checker/candidates/classified_list.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The fewest operators with a clue that is worth keeping.
inline constexpr double kFewestWithClue = 2;

struct PolicyPriors {
  std::array<double, kClueKindCount> weights = {};  // none is negative
  PolicyCounts operators = {};                      // every framework's lists share a vote each
  std::map<Clue, PolicyCounts> clues;               // only what is shared among frameworks
};

std::string WritePolicyPriors(const PolicyPriors& priors);
// The shipped ones.
std::optional<PolicyPriors> ReadPolicyPriors(Diagnostics& diagnostics);
std::optional<PolicyPriors> ParsePolicyPriors(std::string path, std::string text,
                                              Diagnostics& diagnostics);

}  // namespace opledger
