// What the lists of other frameworks teach: how far each kind of feature can be trusted, and which
// policies go with which features. File: registry/priors/policies.json, which
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

// The fewest operators with a feature that is worth keeping.
inline constexpr double kMinWithFeature = 2;

struct PolicyPriors {
  std::array<double, kFeatureKindCount> weights = {};  // none is negative
  PolicyCounts operators = {};                         // every framework's lists share a vote each
  std::map<Feature, PolicyCounts> features;            // only what is shared among frameworks
};

std::string WritePolicyPriors(const PolicyPriors& priors);
// The shipped ones.
std::optional<PolicyPriors> ReadPolicyPriors(Diagnostics& diagnostics);
std::optional<PolicyPriors> ParsePolicyPriors(std::string path, std::string text,
                                              Diagnostics& diagnostics);

}  // namespace opledger
