// The steps in their order: the first that decides, decides.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/policy_rule.h"

#include <algorithm>

#include "kernels/compare/table_text.h"

namespace opledger {
namespace {

// The domain in which something is worst; nullptr: in none is it more than `limit`.
const DomainEvidence* Worst(const std::vector<DomainEvidence>& domains,
                            double DomainEvidence::*what, double limit) {
  const DomainEvidence* worst = nullptr;
  for (const DomainEvidence& each : domains) {
    if (each.*what > (worst == nullptr ? limit : worst->*what)) worst = &each;
  }
  return worst;
}

std::vector<DomainEvidence> Ordinary(std::vector<DomainEvidence> domains) {
  std::erase_if(domains, [](const DomainEvidence& each) { return each.rare; });
  return domains;
}

std::string Percent(double share) { return ShortNumber(share * 100) + " %"; }

}  // namespace

RecommendedPolicy Recommend(const Probe& probe, const std::vector<DomainEvidence>& domains,
                            bool accumulates_wide) {
  if (probe.loss) return {Policy::kFp32, "loss", "training starts from what it computes"};
  const Policy rest = probe.Floats() >= 2 ? Policy::kWidest : Policy::kEither;
  const bool exact = std::all_of(domains.begin(), domains.end(),
                                 [](const DomainEvidence& each) { return each.exact; });
  if (exact) return {rest, "structure", "exact on whatever it is given"};
  if (const auto* worst = Worst(domains, &DomainEvidence::not_finite, kMaxNotFinite)) {
    return {Policy::kFp32, "range",
            Percent(worst->not_finite) + " of the results are not finite on " + worst->domain};
  }
  const std::vector<DomainEvidence> ordinary = Ordinary(domains);
  if (const auto* worst = Worst(ordinary, &DomainEvidence::p99, kMaxError)) {
    return {Policy::kFp32, "error",
            "one result in a hundred is off by " + ShortNumber(worst->p99) +
                " units of rounding or more on " + worst->domain};
  }
  if (const auto* worst = Worst(ordinary, &DomainEvidence::flushed, kMaxFlushed)) {
    return {Policy::kFp32, "flush",
            Percent(worst->flushed) + " of the results are lost to 0 on " + worst->domain};
  }
  if (probe.contraction && accumulates_wide) {
    return {Policy::kTarget, "gain", "its work grows faster than its data, and float32 adds it up"};
  }
  const auto* worst = Worst(ordinary, &DomainEvidence::p99, -1);
  return {rest, "rest",
          "off by " + ShortNumber(worst == nullptr ? 0 : worst->p99) +
              " units of rounding at most, but for one result in a hundred"};
}

}  // namespace opledger
