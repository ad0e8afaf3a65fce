// From errors to a policy, by one rule for all operators. An infinity spoils whatever is computed
// from it, so the range of results is judged on all numbers, the largest that activations have
// too. A rounding error goes as far as the number that has it, so errors are judged on ordinary
// numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/evidence/measurement.h"
#include "registry/precision_list/policy.h"

namespace opledger {

// What is too much. tests/kernels/policy_rule_test.py says what others would give.
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
