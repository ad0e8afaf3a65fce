// Counts first; then line by line what could be dropped.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/baseline_summary.h"

#include <map>

#include "checker/reports/reports.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::string Described(const Finding& finding) {
  std::string text = finding.rule + ": ";
  text += finding.op.empty() ? ShownPlace(finding.location) + ": " + finding.message : finding.op;
  if (!finding.list.empty()) text += " (" + finding.list + ")";
  return Printable(text) + '\n';
}

}  // namespace

std::string BaselineSummary(const Baseline& baseline, const std::string& path,
                            const std::vector<Finding>& found) {
  const std::vector<Finding> resolved = baseline.Resolved(found);
  std::map<std::string, std::size_t> by_rule;
  for (const Finding& finding : baseline.findings()) ++by_rule[finding.rule];
  std::string text = ShownPath(path) + ": " + Counted(baseline.findings().size(), "finding") + '\n';
  for (const auto& [rule, count] : by_rule) {
    text += "  " + Printable(rule) + ": " + std::to_string(count) + '\n';
  }
  if (resolved.empty()) return text;
  text += "no more, `opledger baseline prune` drops them:\n";
  for (const Finding& finding : resolved) text += "  " + Described(finding);
  return text;
}

}  // namespace opledger
