// What `check --statistics` prints to standard error after the reports:
//   counted  silenced  rule
//         1         0  unclassified-operator
//   12 entries of target, 30 of either and widest: the types that their operators take are not ...
//      scan and lists 20 ms, rules 3 ms, reports 1 ms
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/filter/filter.h"
#include "checker/index/index.h"
#include "checker/terminal/phase_times.h"

namespace opledger {

// Entries that target-without-kernel and either-without-kernel cannot check, because neither
// registrations nor kernels give the types of their operators.
struct UncheckedEntries {
  int target = 0;
  int either = 0;  // and widest
};
// The operator fields that CountUnchecked() reads.
inline constexpr const char* kUncheckedFields[] = {"dtypes", "kernels"};
UncheckedEntries CountUnchecked(const CheckIndex& index);

// Returns the operators that the configuration of a list does not have, and why.
std::string AbsentText(const CheckIndex& index);

// Returns the measured operators that are not used, and why.
std::string UnusedEvidenceText(const CheckIndex& index);

// Lists the rules in the order of their table, without those that found nothing.
std::string StatisticsText(const FilteredFindings& filtered, const UncheckedEntries& unchecked,
                           const PhaseTimes& times);

}  // namespace opledger
