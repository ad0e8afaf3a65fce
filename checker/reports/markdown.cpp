// markdown: a table of the findings, for a comment on a pull request or a job's summary.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/reports.h"
#include "checker/terminal/markdown_text.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

// A comment holds 65,536 characters.
constexpr std::size_t kMaxBytes = 50'000;

std::string MarkdownRow(const Finding& finding) {
  return std::string("| ") + SeverityName(finding.severity) + " | " +
         MarkdownCode(ShownPlace(finding.location)) + " | " + MarkdownCode(finding.message) +
         " | " + finding.rule + " |\n";
}

std::string Table(const std::vector<Finding>& findings) {
  std::string text = "| severity | where | finding | rule |\n|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    for (const Finding& finding : findings) {
      if (finding.severity != severity) continue;
      const std::string row = MarkdownRow(finding);
      if (text.size() + row.size() > kMaxBytes) continue;
      text += row;
      ++shown;
    }
  }
  if (shown == findings.size()) return text;
  return text + "\nShown are " + std::to_string(shown) + " of " + std::to_string(findings.size()) +
         " findings, the worst first.\n";
}

std::string Commands(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    for (const Suggestion& suggestion : finding.suggestions) {
      if (suggestion.command.empty() || text.size() > kMaxBytes / 4) continue;
      text += MarkdownCode(suggestion.command) + "<br>\n";
    }
  }
  if (text.empty()) return text;
  return "\n<details><summary>What to do</summary>\n\n" + text + "\n</details>\n";
}

std::string RenderMarkdown(const ReportInput& input) {
  std::string text = "**Operator precision**\n\n" + MarkdownCode(SummaryLine(input.summary)) + "\n";
  if (input.findings.empty()) return text;
  return text + '\n' + Table(input.findings) + Commands(input.findings);
}

}  // namespace

extern const ReportFormat kMarkdownReport = {"markdown", "a table, for a pull request",
                                             RenderMarkdown};

}  // namespace opledger
