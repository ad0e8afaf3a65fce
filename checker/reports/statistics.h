// What `check --statistics` says on standard error, after the reports:
//   counted  silenced  rule
//         1         0  unclassified-operator
//   12 entries of target, 30 of either and widest: nothing says which types their operators take
//      scan and lists 20 ms, rules 3 ms, reports 1 ms
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/filter/filter.h"
#include "checker/index/index.h"
#include "checker/terminal/phase_times.h"

namespace opledger {

// What the rules target-without-kernel and either-without-kernel had to pass over.
// Operators for whose policy nothing says whether they run in the list's type: neither their
// registrations nor kernels.
struct UncheckedEntries {
  int target = 0;
  int either = 0;  // and widest
};
// The fields of operators that it needs.
inline constexpr const char* kUncheckedFields[] = {"dtypes", "kernels"};
UncheckedEntries CountUnchecked(const CheckIndex& index);

// The operators that a list's configuration does not have, and why: of each configuration.
std::string AbsentText(const CheckIndex& index);

// The measured operators that are not used, and why.
std::string UnusedEvidenceText(const CheckIndex& index);

// Rules in the order of their table; those that found nothing are left out.
std::string StatisticsText(const FilteredFindings& filtered, const UncheckedEntries& unchecked,
                           const PhaseTimes& times);

}  // namespace opledger
