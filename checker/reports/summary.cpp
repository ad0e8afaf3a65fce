// Counts for reports.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "checker/reports/finding_groups.h"
#include "checker/terminal/terminal.h"
#include "registry/manifest/absence.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

ListSummary SummariseList(const CheckIndex& check, const ListIndex& index) {
  const Manifest& manifest = check.manifest();
  ListSummary summary;
  if (index.known) summary.absent = static_cast<int>(AbsentFrom(manifest, *index.known).size());
  summary.label = index.label;
  summary.path = index.list->path;
  summary.text = index.list->document.text;
  summary.configuration = index.configuration;
  summary.unclassified = static_cast<int>(index.unclassified.size() + index.near_misses.size());
  for (const GluedEntry& glued : index.glued) summary.unclassified += glued.unlisted;
  if (index.list->unlisted) {
    for (const Operator* op : index.unclassified) {
      if (!check.NeedsEntry(*op, index)) ++summary.unlisted;
    }
    summary.unclassified -= summary.unlisted;
    summary.unlisted_policy = PolicyName(index.list->runs_unlisted.value_or(*index.list->unlisted));
  }
  for (const Operator& op : manifest.operators) {
    if (op.exempt.empty() && index.IsUndecided(op) && index.Exists(op)) ++summary.undecided;
  }
  for (const auto& [name, use] : index.by_name) {
    const Operator* op = use->op;
    if (op != nullptr && op->exempt.empty() && index.Exists(*op)) {
      summary.operators.push_back(op->name);
    }
  }
  std::sort(summary.operators.begin(), summary.operators.end());
  summary.classified = static_cast<int>(summary.operators.size());
  return summary;
}

// Returns "; evidence: 12 operators measured, 9 used, 3 without a row in the atlas".
std::string EvidenceText(const Summary& summary) {
  if (!summary.has_evidence) return {};
  std::size_t measured = 0;
  for (const auto& [fate, operators] : summary.evidence) measured += operators.size();
  std::string text = "; evidence: " + Counted(measured, "operator") + " measured";
  if (measured > 0 && !summary.evidence.contains(EvidenceFate::kUsed)) text += ", none used";
  for (const auto& [fate, operators] : summary.evidence) {
    text += ", " + std::to_string(operators.size()) + ' ' + EvidenceFateText(fate, summary.dialect);
  }
  return text;
}

std::string Described(const Finding& finding) {
  std::string text = finding.rule + ": ";
  text += finding.op.empty() ? ShownPlace(finding.location) + ": " + finding.message : finding.op;
  if (!finding.list.empty()) text += " (" + finding.list + ")";
  return Printable(text) + '\n';
}

}  // namespace

Summary Summarise(const CheckIndex& index) {
  Summary summary;
  summary.dialect = index.manifest().dialect;
  for (const Operator& op : index.manifest().operators) {
    if (!op.CanExist()) continue;
    ++summary.operators;
    if (!op.exempt.empty()) ++summary.exempt;
  }
  for (const ListIndex& list : index.lists()) {
    summary.lists.push_back(SummariseList(index, list));
  }
  summary.has_evidence = index.evidence() != nullptr;
  if (summary.has_evidence) summary.evidence = EvidenceUse(index).Fates();
  return summary;
}

void CountFindings(const std::vector<Finding>& findings, const std::vector<Finding>& silenced,
                   const Baseline& baseline, const Manifest& manifest, Summary& summary) {
  BaselineUse use(baseline);
  for (const Finding& finding : silenced) {
    const bool known = finding.status == FindingStatus::kBaseline;
    ++(!known ? summary.ignored : use.Take(finding) ? summary.baseline : summary.of_revision);
  }
  for (const Finding& finding : findings) {
    ++summary.by_rule[finding.rule];
    if (finding.severity == Severity::kError) ++summary.errors;
    if (finding.severity == Severity::kWarning) ++summary.warnings;
    if (finding.severity == Severity::kNote) ++summary.notes;
  }
  for (const FindingGroup& group : GroupFindings(findings, {&manifest})) {
    const Severity severity = group.first().severity;
    ++(severity == Severity::kError     ? summary.shown_errors
       : severity == Severity::kWarning ? summary.shown_warnings
                                        : summary.shown_notes);
  }
}

std::string SummaryLine(const Summary& summary) {
  std::string line =
      summary.dialect + ": " + Counted(static_cast<std::uint64_t>(summary.operators), "operator");
  if (summary.exempt > 0) line += " (" + std::to_string(summary.exempt) + " exempt)";
  for (const ListSummary& list : summary.lists) {
    line += "; " + list.label + " (" + list.configuration +
            "): " + std::to_string(list.classified) + " decided";
    if (list.unclassified > 0) line += ", " + std::to_string(list.unclassified) + " unclassified";
    if (list.undecided > 0) line += ", " + std::to_string(list.undecided) + " undecided";
    if (list.unlisted > 0) {
      line += ", " + std::to_string(list.unlisted) + " by default (" + list.unlisted_policy + ')';
    }
  }
  std::set<std::string> told;
  for (const ListSummary& list : summary.lists) {
    if (list.absent == 0 || !told.insert(list.configuration).second) continue;
    line += (told.size() == 1 ? "; not in " : ", in ") + list.configuration + ": " +
            std::to_string(list.absent);
  }
  line += EvidenceText(summary) + "; ";
  std::string findings;
  const auto add = [&findings](int count, const char* what) {
    if (count > 0)
      findings += (findings.empty() ? "" : ", ") + Counted(static_cast<std::uint64_t>(count), what);
  };
  add(summary.shown_errors, "error");
  add(summary.shown_warnings, "warning");
  add(summary.shown_notes, "note");
  line += findings.empty() ? "no findings" : findings;
  const int shown = summary.shown_errors + summary.shown_warnings + summary.shown_notes;
  const int all = summary.errors + summary.warnings + summary.notes;
  if (all > shown) line += " (of " + std::to_string(all) + " entries)";
  if (summary.ignored > 0) line += " (" + std::to_string(summary.ignored) + " ignored)";
  if (summary.baseline > 0) line += " (" + std::to_string(summary.baseline) + " in the baseline)";
  if (summary.of_revision > 0) {
    line += " (" + std::to_string(summary.of_revision) + " in " + summary.against + ')';
  }
  if (summary.off > 0) line += " (" + std::to_string(summary.off) + " of rules that are off)";
  if (summary.excluded > 0) {
    line += "; without the sources of " +
            Counted(static_cast<std::uint64_t>(summary.excluded), "'exclude' glob");
  }
  if (summary.incomplete > 0) line += "; scan incomplete";
  return Printable(line);
}

std::string BaselineSummary(const Baseline& baseline, const std::string& path,
                            const std::vector<Finding>& found, bool whole_scan) {
  const std::vector<Finding> resolved = baseline.Resolved(found);
  std::map<std::string, std::size_t> by_rule;
  for (const Finding& finding : baseline.findings()) ++by_rule[finding.rule];
  std::string text = ShownPath(path) + ": " + Counted(baseline.findings().size(), "finding") + '\n';
  for (const auto& [rule, count] : by_rule) {
    text += "  " + Printable(rule) + ": " + std::to_string(count) + '\n';
  }
  if (resolved.empty()) return text;
  text += whole_scan ? "no longer found, `opledger baseline prune` removes them:\n"
                     : "not found, but the scan is incomplete:\n";
  for (const Finding& finding : resolved) text += "  " + Described(finding);
  return text;
}

}  // namespace opledger
