// Recommends a policy from errors, by one rule for all operators; registry/precision_list/harm.h
// defines how much error is too much.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/evidence/measurement.h"
#include "registry/precision_list/policy.h"

namespace opledger {

struct RecommendedPolicy {
  Policy policy = Policy::kEither;
  std::string step;    // that decided: structure, loss, range, error, flush, gain or rest
  std::string reason;  // one line: "1.2 % of the results are infinite on reals 8"
};

// `domains`: from a Measurement, either as the kernel computes or step by step.
RecommendedPolicy Recommend(const Probe& probe, const std::vector<DomainEvidence>& domains,
                            bool accumulates_wide);

}  // namespace opledger
