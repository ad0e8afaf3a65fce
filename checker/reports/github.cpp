// github: workflow commands, which GitHub shows as annotations next to the changed lines.
//   ::error file=src/swish.cc,line=4,endLine=4,col=18,endColumn=23,title=unclassified-operator::...
// GitHub shows ten of each kind per step, so the worst come first. sarif has no such limit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/reports/finding_groups.h"
#include "checker/reports/reports.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

// Runners cut messages at 4,096 characters. Cutting before escaping does not split an escape.
constexpr std::size_t kLongestMessage = 3000;

// PrintableWithin() leaves no line ends, but they are escaped here, too.
std::string EscapeData(std::string_view text) {
  std::string escaped;
  const std::string printable = PrintableWithin(text).substr(0, kLongestMessage);
  for (const char c : printable) {
    if (c == '%') {
      escaped += "%25";
    } else if (c == '\r') {
      escaped += "%0D";
    } else if (c == '\n') {
      escaped += "%0A";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string EscapeProperty(std::string_view text) {
  std::string escaped;
  for (const char c : EscapeData(text)) {
    if (c == ':') {
      escaped += "%3A";
    } else if (c == ',') {
      escaped += "%2C";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Properties(const Finding& finding) {
  const Location& location = finding.location;
  std::string text;
  if (!location.path.empty()) text += "file=" + EscapeProperty(location.path) + ',';
  if (location.line > 0) {
    text += "line=" + std::to_string(location.line) + ',';
    // GitHub ignores the columns of regions with several lines.
    if (location.end_line <= location.line) {
      const int column = std::max(location.column, 1);
      const int end = std::max(location.end_column, column);
      text += "endLine=" + std::to_string(location.line) + ",col=" + std::to_string(column) +
              ",endColumn=" + std::to_string(end) + ',';
    } else {
      text += "endLine=" + std::to_string(location.end_line) + ',';
    }
  }
  return text + "title=" + EscapeProperty(finding.rule);
}

std::string Message(const FindingGroup& group) {
  const Finding& finding = group.first();
  std::string text = EscapeData(GroupMessage(group));
  if (group.is_table()) {
    for (const std::string& op : group.operators) {
      if (text.size() > kLongestMessage) break;
      text += "%0A" + EscapeData(op + ": " + ListsOf(group, op));
    }
  }
  if (group.findings.size() > 1) {
    const std::string command = GroupCommand(group);
    return command.empty() ? text : text + "%0Afix: " + EscapeData(command);
  }
  for (const Suggestion& suggestion : finding.suggestions) {
    if (!suggestion.command.empty()) text += "%0Afix: " + EscapeData(suggestion.command);
  }
  return text;
}

std::string RenderGithub(const ReportInput& input) {
  const std::vector<FindingGroup> groups = input.Groups();
  std::string text;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    const char* command = severity == Severity::kNote ? "notice" : SeverityName(severity);
    for (const FindingGroup& group : groups) {
      if (group.first().severity != severity) continue;
      text += std::string("::") + command + ' ' + Properties(group.first()) +
              "::" + Message(group) + '\n';
    }
  }
  for (const std::string& line : input.SummaryLines()) text += ShownPath(line) + '\n';
  return text;
}

}  // namespace

extern const ReportFormat kGithubReport = {"github", "annotations of GitHub Actions", RenderGithub};

}  // namespace opledger
