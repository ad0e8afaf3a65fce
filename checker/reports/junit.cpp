// junit: a test suite per list and a test case per operator, so that CI shows "690 passed, 1
// failed". Findings that fail the check fail the operator's case; others are in <system-out>.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string_view>

#include "checker/reports/reports.h"
#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::string Escape(std::string_view text) {
  std::string escaped;
  // Printable() leaves no characters that XML 1.0 forbids.
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + Escape(value) + '"';
}

using Findings = std::vector<const Finding*>;

struct Suite {
  std::map<std::string, Findings> cases;  // findings by name
};

std::string Body(const ReportInput& input, const Findings& findings, bool& failed) {
  std::string failures;
  std::string remarks;
  for (const Finding* finding : findings) {
    const std::string text = ShownPlace(finding->location) + ": " + finding->message;
    if (!input.Fails(*finding)) {
      remarks += text + " [" + finding->rule + "]\n";
      continue;
    }
    failed = true;
    failures += "      <failure" + Attribute("type", finding->rule) +
                Attribute("message", finding->message) + '>' + Escape(text);
    for (const Suggestion& suggestion : finding->suggestions) {
      if (!suggestion.command.empty()) failures += "\nfix: " + Escape(suggestion.command);
    }
    failures += "</failure>\n";
  }
  if (remarks.empty()) return failures;
  remarks.pop_back();
  std::string shown;
  for (const std::string_view line : SplitAt(remarks, '\n')) {
    shown += (shown.empty() ? "" : "\n") + Escape(line);
  }
  return failures + "      <system-out>" + shown + "</system-out>\n";
}

void WriteSuite(const ReportInput& input, const std::string& name, const Suite& suite,
                std::string& text) {
  std::string cases;
  int failures = 0;
  for (const auto& [op, findings] : suite.cases) {
    cases += "    <testcase" + Attribute("classname", name) + Attribute("name", op);
    bool failed = false;
    const std::string body = Body(input, findings, failed);
    failures += failed ? 1 : 0;
    cases += body.empty() ? "/>\n" : ">\n" + body + "    </testcase>\n";
  }
  text += "  <testsuite" + Attribute("name", name) + " tests=\"" +
          std::to_string(suite.cases.size()) + "\" failures=\"" + std::to_string(failures) +
          "\" errors=\"0\">\n" + cases + "  </testsuite>\n";
}

std::string RenderJunit(const ReportInput& input) {
  std::map<std::string, Suite> suites;
  const auto name_of = [&input](const std::string& dialect, const std::string& list) {
    if (list.empty()) return dialect;
    return input.HasSeveralDialects() ? dialect + '/' + list : list;
  };
  for (const CheckedDialect& each : input.dialects) {
    for (const ListSummary& list : each.summary.lists) {
      Suite& suite = suites[name_of(each.summary.dialect, list.label)];
      for (const std::string_view op : list.operators) suite.cases[std::string(op)];
    }
  }
  for (const Finding& finding : input.findings) {
    Suite& suite = suites[name_of(finding.framework, finding.list)];
    suite.cases[finding.op.empty() ? ShownPlace(finding.location) : finding.op].push_back(&finding);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"opledger\">\n";
  for (const auto& [name, suite] : suites) WriteSuite(input, name, suite, text);
  return text + "</testsuites>\n";
}

}  // namespace

extern const ReportFormat kJunitReport = {"junit", "a test case per operator", RenderJunit};

}  // namespace opledger
