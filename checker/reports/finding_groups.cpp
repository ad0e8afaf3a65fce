// Groups only findings of unclassified-operator, because others are about a single entry.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/finding_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "checker/terminal/shell_quote.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr const char* kGrouped = "unclassified-operator";
constexpr std::size_t kTable = 4;        // operators of one macro that make a table
constexpr std::size_t kNamedAtMost = 8;  // operators named in a command

// Returns the outermost macro that registers the operator, or "".
std::string MacroOf(const Finding& finding, const std::vector<const Manifest*>& manifests) {
  const auto own = std::find_if(manifests.begin(), manifests.end(), [&](const Manifest* each) {
    return finding.framework.text() == each->dialect;
  });
  const Operator* const known = own == manifests.end() ? nullptr : (*own)->Find(finding.op);
  return known == nullptr || known->sites.empty() ? std::string() : known->sites.front().macro;
}

// Dialect, severity, and the macro or operator.
using GroupKey = std::tuple<std::string, Severity, std::string>;

GroupKey KeyOf(const Finding& finding, const std::string& what) {
  return {finding.framework, finding.severity, what};
}

// Maps a macro to its operators.
using MacroUse = std::map<GroupKey, std::set<std::string>>;

MacroUse CountMacros(const std::vector<Finding>& findings,
                     const std::vector<const Manifest*>& manifests) {
  MacroUse use;
  for (const Finding& finding : findings) {
    if (finding.rule != kGrouped) continue;
    use[KeyOf(finding, MacroOf(finding, manifests))].insert(finding.op);
  }
  return use;
}

}  // namespace

std::vector<FindingGroup> GroupFindings(const std::vector<Finding>& findings,
                                        const std::vector<const Manifest*>& manifests) {
  const MacroUse use = CountMacros(findings, manifests);
  std::vector<FindingGroup> groups;
  std::map<GroupKey, std::size_t> places;
  for (const Finding& finding : findings) {
    if (finding.rule != kGrouped) {
      groups.push_back({{&finding}, {finding.op}, {}});
      continue;
    }
    std::string macro = MacroOf(finding, manifests);
    const bool table = !macro.empty() && use.at(KeyOf(finding, macro)).size() >= kTable;
    if (!table) macro.clear();
    const auto [place, fresh] = places.emplace(
        KeyOf(finding, table ? "macro " + macro : "operator " + finding.op), groups.size());
    if (fresh) {
      groups.push_back({{&finding}, {finding.op}, macro});
      if (manifests.size() > 1) groups.back().dialect = finding.framework;
      continue;
    }
    FindingGroup& group = groups[place->second];
    group.findings.push_back(&finding);
    const auto same = std::find(group.operators.begin(), group.operators.end(), finding.op);
    if (same == group.operators.end()) group.operators.push_back(finding.op);
  }
  return groups;
}

std::string ListsOf(const FindingGroup& group, const std::string& op) {
  std::string lists;
  for (const Finding* finding : group.findings) {
    if (finding->op == op) lists += (lists.empty() ? "" : ", ") + finding->list;
  }
  return lists;
}

std::string GroupMessage(const FindingGroup& group) {
  if (group.findings.size() == 1) return group.first().message;
  const std::string of =
      group.dialect.empty() ? std::string() : " (dialect '" + group.dialect + "')";
  if (group.is_table()) {
    return Counted(group.operators.size(), "operator") + " that " + group.macro +
           " registers have no policy (" + std::to_string(group.findings.size()) + " entries)" + of;
  }
  std::vector<std::string> lists;
  for (const Finding* finding : group.findings) lists.push_back("'" + finding->list + "'");
  const std::string last = lists.back();
  lists.pop_back();
  return "operator '" + group.first().op + "' has no policy in lists " + Join(lists, ", ") +
         " and " + last + of;
}

std::string GroupCommand(const FindingGroup& group) {
  std::set<std::string> lists;
  std::set<std::string> policies;
  for (const Finding* finding : group.findings) {
    // "opledger classify NAME --as POLICY --list REFERENCE", possibly followed by a reason, or with
    // "--like OPERATOR" instead of the policy.
    const std::string command =
        finding->suggestions.empty() ? std::string() : finding->suggestions.front().command;
    const std::size_t as = std::min(command.find(" --as "), command.find(" --like "));
    const std::size_t list = command.find(" --list ");
    if (as == std::string::npos || list == std::string::npos) return {};
    const std::size_t end = std::min(command.find(" --reason ", list), command.size());
    policies.insert(command.substr(as, list - as));
    lists.insert(command.substr(list, end - list));
  }
  if (group.operators.size() > kNamedAtMost) {
    return "opledger check --output-format json=findings.json; opledger classify --from "
           "findings.json --as POLICY";
  }
  std::string command = "opledger classify";
  for (const std::string& op : group.operators) {
    const std::optional<std::string> quoted = ShellQuote(op);
    if (!quoted) return {};
    command += ' ' + *quoted;
  }
  command += policies.size() == 1 ? *policies.begin() : " --as POLICY";
  for (const std::string& list : lists) command += list;
  return command;
}

}  // namespace opledger
