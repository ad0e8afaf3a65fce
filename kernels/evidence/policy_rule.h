// From errors to a policy, by one rule for all operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/evidence/measurement.h"
#include "registry/precision_list/policy.h"

namespace opledger {

// What is too much. Moving the third from 6 to 24 changes the policy of few operators.
inline constexpr double kMaxNotFinite = 0.001;  // share of results
inline constexpr double kMaxFlushed = 0.01;     // share of results that count
inline constexpr double kMaxError = 16;         // units of rounding: 4 bits

struct RecommendedPolicy {
  Policy policy = Policy::kEither;
  std::string step;    // of the rule: structure, loss, range, error, flush, gain or rest
  std::string reason;  // one line: "1.2 % of the results are infinite on reals 8"
};

// `domains` are the measurement's, as the kernel computes or step by step.
RecommendedPolicy Recommend(const Probe& probe, const std::vector<DomainEvidence>& domains,
                            bool accumulates_wide);

}  // namespace opledger
