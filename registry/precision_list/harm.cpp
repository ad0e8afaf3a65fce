// Applies the criteria in order; the first that is met decides.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/harm.h"

#include "registry/text/short_number.h"

namespace opledger {
namespace {

// Returns the domain with the largest value of `what` above `limit`, or nullptr if there is none.
const DomainErrors* WorstDomain(const std::vector<DomainErrors>& domains,
                                double DomainErrors::*what, double limit, bool rare_count) {
  const DomainErrors* worst = nullptr;
  for (const DomainErrors& each : domains) {
    if (each.rare && !rare_count) continue;
    if (each.*what > (worst == nullptr ? limit : worst->*what)) worst = &each;
  }
  return worst;
}

std::string OnDomain(const DomainErrors& errors) {
  return errors.domain.empty() ? "" : " on " + errors.domain;
}

}  // namespace

std::optional<Harm> FindHarm(const std::vector<DomainErrors>& domains) {
  if (const auto* worst = WorstDomain(domains, &DomainErrors::not_finite, kMaxNotFinite, true)) {
    return Harm{"range", PercentText(worst->not_finite) + " of the results are not finite" +
                             OnDomain(*worst)};
  }
  if (const auto* worst = WorstDomain(domains, &DomainErrors::error, kMaxError, false)) {
    return Harm{"error", "1 % of the results are off by " + ShortNumber(worst->error) +
                             " units of rounding or more" + OnDomain(*worst)};
  }
  if (const auto* worst =
          WorstDomain(domains, &DomainErrors::changed_rows, kMaxChangedRows, false)) {
    return Harm{"error", "the largest element of " + PercentText(worst->changed_rows) +
                             " of the rows moved or is off by more than " + ShortNumber(kMaxError) +
                             " units of rounding" + OnDomain(*worst)};
  }
  if (const auto* worst = WorstDomain(domains, &DomainErrors::flushed, kMaxFlushed, false)) {
    return Harm{"flush", PercentText(worst->flushed) + " of the results are flushed to 0" +
                             OnDomain(*worst)};
  }
  return std::nullopt;
}

}  // namespace opledger
