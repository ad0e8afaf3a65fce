// The steps in their order: the first that decides, decides.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/policy_rule.h"

#include <algorithm>

#include "registry/precision_list/harm.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

std::vector<DomainErrors> ErrorsOf(const std::vector<DomainEvidence>& domains) {
  std::vector<DomainErrors> errors;
  for (const DomainEvidence& each : domains) {
    errors.push_back({each.domain, each.rare, each.not_finite, each.flushed, each.p99});
  }
  return errors;
}

// The largest error on ordinary numbers.
double LargestError(const std::vector<DomainEvidence>& domains) {
  double largest = 0;
  for (const DomainEvidence& each : domains) {
    if (!each.rare) largest = std::max(largest, each.p99);
  }
  return largest;
}

}  // namespace

RecommendedPolicy Recommend(const Probe& probe, const std::vector<DomainEvidence>& domains,
                            bool accumulates_wide) {
  if (probe.loss) return {Policy::kFp32, "loss", "training starts from what it computes"};
  const Policy rest = probe.Floats() >= 2 ? Policy::kWidest : Policy::kEither;
  const bool exact = std::all_of(domains.begin(), domains.end(),
                                 [](const DomainEvidence& each) { return each.exact; });
  if (exact) return {rest, "structure", "exact on whatever it is given"};
  if (const auto harm = FindHarm(ErrorsOf(domains))) {
    return {Policy::kFp32, harm->step, harm->reason};
  }
  if (probe.contraction && accumulates_wide) {
    return {Policy::kTarget, "gain", "its work grows faster than its data, and float32 adds it up"};
  }
  return {rest, "rest",
          "off by " + ShortNumber(LargestError(domains)) +
              " units of rounding at most, but for one result in a hundred"};
}

}  // namespace opledger
