// markdown: a table of the findings, for a comment on a pull request or a job summary.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/finding_groups.h"
#include "checker/reports/reports.h"
#include "checker/terminal/markdown_text.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

// A comment can have 65,536 characters.
constexpr std::size_t kMaxBytes = 50'000;

std::string MarkdownRow(const FindingGroup& group) {
  const Finding& finding = group.first();
  std::string message = MarkdownCode(GroupMessage(group));
  if (group.is_table()) {
    for (const std::string& op : group.operators) {
      message += "<br>" + MarkdownCode(op + ": " + ListsOf(group, op));
    }
  }
  return std::string("| ") + SeverityName(finding.severity) + " | " +
         MarkdownCode(ShownPlace(finding.location)) + " | " + message + " | " + finding.rule +
         " |\n";
}

std::string Table(const std::vector<FindingGroup>& findings) {
  std::string text = "| severity | where | finding | rule |\n|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    for (const FindingGroup& group : findings) {
      if (group.first().severity != severity) continue;
      const std::string row = MarkdownRow(group);
      if (text.size() + row.size() > kMaxBytes) continue;
      text += row;
      ++shown;
    }
  }
  if (shown == findings.size()) return text;
  return text + "\nShowing " + std::to_string(shown) + " of " + std::to_string(findings.size()) +
         " findings, the worst first.\n";
}

std::string Commands(const std::vector<FindingGroup>& findings) {
  std::string text;
  for (const FindingGroup& group : findings) {
    std::vector<std::string> commands;
    for (const Suggestion& each : group.first().suggestions) commands.push_back(each.command);
    if (group.findings.size() > 1) commands = {GroupCommand(group)};
    for (const std::string& command : commands) {
      if (command.empty() || text.size() > kMaxBytes / 4) continue;
      text += MarkdownCode(command) + "<br>\n";
    }
  }
  if (text.empty()) return text;
  return "\n<details><summary>What to do</summary>\n\n" + text + "\n</details>\n";
}

std::string RenderMarkdown(const ReportInput& input) {
  std::string text = "**Operator precision**\n\n";
  text += Join(input.SummaryLines(), "<br>\n", MarkdownCode) + "\n";
  if (input.findings.empty()) return text;
  const std::vector<FindingGroup> groups = input.Groups();
  return text + '\n' + Table(groups) + Commands(groups);
}

}  // namespace

extern const ReportFormat kMarkdownReport = {"markdown", "a table, for a pull request",
                                             RenderMarkdown};

}  // namespace opledger
