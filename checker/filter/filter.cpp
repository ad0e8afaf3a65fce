// Statuses with a reason take precedence: ignore rules, then suppressions, then the baseline.
// SPDX-License-Identifier: Apache-2.0
#include "checker/filter/filter.h"

namespace opledger {
namespace {

void SetStatus(const Severities& severities, const CheckIndex& index, BaselineUse& baseline,
               Finding& finding) {
  if (const IgnoreRule* rule = severities.Ignoring(finding)) {
    finding.status = FindingStatus::kSuppressed;
    finding.reason = rule->reason;
    return;
  }
  for (const Suppression* const suppression : index.SuppressionsOf(finding)) {
    if (suppression->EndedOn(index.today())) continue;
    finding.status = FindingStatus::kSuppressed;
    finding.reason = suppression->reason;
    return;
  }
  // An earlier failure to read a file says nothing about this one.
  const bool unread = finding.rule == "incomplete-scan" && IsFromSystem(finding.message);
  if (!IsIncompleteList(finding) && !unread && baseline.Take(finding))
    finding.status = FindingStatus::kBaseline;
}

}  // namespace

FilteredFindings FilterFindings(std::vector<Finding> all, const Severities& severities,
                                const CheckIndex& index, const Baseline& baseline) {
  FilteredFindings filtered;
  std::size_t counted = 0;  // findings kept at the beginning of `all`; avoids a second large vector
  BaselineUse use(baseline);
  for (Finding& finding : all) {
    SetStatus(severities, index, use, finding);
    const bool counts = finding.status == FindingStatus::kNew;
    if (counts && finding.rule == "incomplete-scan") ++filtered.incomplete;
    if (!severities.ApplySeverity(finding)) {
      ++filtered.off;
      continue;
    }
    if (!counts) {
      filtered.silenced.push_back(std::move(finding));
    } else if (Finding& place = all[counted++]; &place != &finding) {
      place = std::move(finding);
    }
  }
  all.resize(counted);
  filtered.counted = std::move(all);
  return filtered;
}

}  // namespace opledger
