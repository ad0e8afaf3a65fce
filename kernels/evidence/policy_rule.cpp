// Applies the steps in order; the first one that applies decides.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/policy_rule.h"

#include <algorithm>

#include "registry/precision_list/harm.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

// Rows judged by their largest element have no errors of single elements.
std::vector<DomainErrors> ErrorsOf(const std::vector<DomainEvidence>& domains) {
  std::vector<DomainErrors> errors;
  for (const DomainEvidence& each : domains) {
    errors.push_back({each.domain, each.rare, each.not_finite});
    if (each.rows == 0) {
      errors.back().flushed = each.flushed;
      errors.back().error = each.p99;
    } else {
      errors.back().changed_rows = each.changed_rows;
    }
  }
  return errors;
}

double JudgedError(const DomainEvidence& domain) {
  return domain.rows == 0 ? domain.p99 : domain.largest;
}

// Describes the largest error on ordinary inputs, and the largest on rare ones if it is too large.
std::string LargestErrorText(const std::vector<DomainEvidence>& domains) {
  double largest = 0;
  const DomainEvidence* rare = nullptr;
  for (const DomainEvidence& each : domains) {
    if (!each.rare) {
      largest = std::max(largest, JudgedError(each));
    } else if (JudgedError(each) > (rare == nullptr ? kMaxError : JudgedError(*rare))) {
      rare = &each;
    }
  }
  std::string text = domains.front().rows == 0
                         ? "off by " + ShortNumber(largest) +
                               " units of rounding at most, except for one result in a hundred"
                         : "the largest element of a row is off by at most " +
                               ShortNumber(largest) + " units of rounding";
  if (rare != nullptr) text += "; by " + ShortNumber(JudgedError(*rare)) + " on " + rare->domain;
  return text;
}

}  // namespace

RecommendedPolicy Recommend(const Probe& probe, const std::vector<DomainEvidence>& domains,
                            bool accumulates_wide) {
  if (probe.loss) return {Policy::kFp32, "loss", "training starts from its result"};
  const Policy rest = probe.Floats() >= 2 ? Policy::kWidest : Policy::kEither;
  const bool exact = std::all_of(domains.begin(), domains.end(),
                                 [](const DomainEvidence& each) { return each.exact; });
  if (exact) return {rest, "structure", "exact on all inputs"};
  if (const auto harm = FindHarm(ErrorsOf(domains))) {
    return {Policy::kFp32, harm->step, harm->reason};
  }
  if (probe.contraction && accumulates_wide) {
    return {Policy::kTarget, "gain",
            "its work grows faster than its data, and it accumulates in float32"};
  }
  return {rest, "rest", LargestErrorText(domains)};
}

}  // namespace opledger
