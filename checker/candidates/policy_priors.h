// Priors from the lists of other frameworks: how reliable each kind of feature is, and which
// policies go with which features. tests/checker/suggestions_test.py writes the file,
// registry/priors/policies.json; see schemas/policy-priors.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "checker/candidates/classified_list.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Features of fewer operators are not written.
inline constexpr double kMinWithFeature = 2;

struct PolicyPriors {
  std::array<double, kFeatureKindCount> weights = {};  // not negative
  PolicyCounts operators = {};                         // the lists of each framework share one vote
  std::map<Feature, PolicyCounts> features;            // only features that frameworks share
};

std::string WritePolicyPriors(const PolicyPriors& priors);
// Reads the shipped priors. Both return nullopt, with an error, if they are not valid.
std::optional<PolicyPriors> ReadPolicyPriors(Diagnostics& diagnostics);
std::optional<PolicyPriors> ParsePolicyPriors(std::string path, std::string text,
                                              Diagnostics& diagnostics);

}  // namespace opledger
