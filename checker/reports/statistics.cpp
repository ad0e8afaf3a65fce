// Prints columns for readers. Programs use by_rule of the json report.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "checker/index/evidence_use.h"
#include "checker/index/operator_facts.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"
#include "registry/manifest/absence.h"

namespace opledger {
namespace {

// Aligns the text to the right.
std::string Column(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// Returns "1.25 s" or "12 ms".
std::string Duration(double milliseconds) {
  if (milliseconds < 1000) return std::to_string(std::lround(milliseconds)) + " ms";
  const long hundredths = std::lround(milliseconds / 10);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + '.' + std::string(2 - rest.size(), '0') + rest + " s";
}

}  // namespace

std::string StatisticsText(const FilteredFindings& filtered, const UncheckedEntries& unchecked,
                           const PhaseTimes& times) {
  std::map<std::string, std::pair<int, int>> counts;  // by rule: counted, silenced
  for (const Finding& finding : filtered.counted) ++counts[finding.rule].first;
  for (const Finding& finding : filtered.silenced) ++counts[finding.rule].second;
  std::string text = "counted  silenced  rule\n";
  std::pair<int, int> all;
  for (const Rule& rule : Rules()) {
    const auto found = counts.find(rule.name);
    if (found == counts.end()) continue;
    const auto [counted, silenced] = found->second;
    text += Column(std::to_string(counted), 7) + Column(std::to_string(silenced), 10) + "  " +
            rule.name + '\n';
    all.first += counted;
    all.second += silenced;
  }
  text += Column(std::to_string(all.first), 7) + Column(std::to_string(all.second), 10) + "  all\n";
  if (unchecked.target + unchecked.either != 0) {
    text += std::to_string(unchecked.target) + " entries of target, " +
            std::to_string(unchecked.either) +
            " of either and widest: the types that their operators take are not known\n";
  }
  std::string line;
  double total = 0;
  for (const Phase& phase : times.phases()) {
    line += (line.empty() ? "" : ", ") + Printable(phase.name) + ' ' + Duration(phase.milliseconds);
    total += phase.milliseconds;
  }
  return text + line + "; total " + Duration(total) + '\n';
}

std::string AbsentText(const CheckIndex& index) {
  std::set<std::string> told;
  std::string text;
  for (const ListIndex& list : index.lists()) {
    if (!list.known || !told.insert(list.configuration).second) continue;
    const std::vector<AbsentOperator> absent = AbsentFrom(index.manifest(), *list.known);
    if (absent.empty()) continue;
    text += Printable(AbsentCount(absent.size(), list.configuration)) + ":\n";
    for (const AbsentOperator& one : absent) {
      text += "  " + AbsenceLine(one, index.manifest(), list.configuration) + '\n';
    }
  }
  return text;
}

std::string UnusedEvidenceText(const CheckIndex& index) {
  if (index.evidence() == nullptr) return {};
  std::string text;
  for (const auto& [fate, operators] : EvidenceUse(index).Fates()) {
    if (fate == EvidenceFate::kUsed) continue;
    text += "evidence not used (" + EvidenceFateText(fate, index.manifest().dialect) + "):\n";
    for (const std::string& op : operators) text += "  " + Printable(op) + '\n';
  }
  return text;
}

UncheckedEntries CountUnchecked(const CheckIndex& index) {
  UncheckedEntries count;
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const PrecisionList& own = *list.list;
    const Allows allows = AllowsDtype(*use.op, own.target_dtype);
    if (allows == Allows::kYes || allows == Allows::kNo) return;
    if (HasKernel(*use.op, own.device, own.target_dtype, list.Known()) != Serves::kUnknown) return;
    const Policy policy = use.entry->policy;
    if (policy == Policy::kTarget) ++count.target;
    if (policy == Policy::kEither || policy == Policy::kWidest) ++count.either;
  });
  return count;
}

}  // namespace opledger
