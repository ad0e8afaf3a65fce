// opledger explain: what a rule means, why it matters, what to do.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "checker/commands.h"
#include "checker/rules.h"
#include "checker/severities.h"
#include "checker/terminal.h"

namespace opledger {
namespace {

std::string RuleTable() {
  std::string text;
  std::size_t width = 0;
  for (const Rule& rule : Rules()) width = std::max(width, std::string_view(rule.name).size());
  for (const Rule& rule : Rules()) {
    std::string name = rule.name;
    name.resize(width, ' ');
    std::string severity = SeverityName(rule.severity);
    severity.resize(std::string_view("warning").size(), ' ');
    text += name + "  " + severity + "  " + rule.summary + '\n';
  }
  return text;
}

}  // namespace

int RunExplain(const ExplainOptions& options) {
  std::string text = RuleTable();
  if (!options.rule.empty()) {
    const Rule* rule = FindRule(options.rule);
    if (rule == nullptr) {
      Diagnostics diagnostics;
      diagnostics.Error({}, "unknown rule '" + options.rule + "'", RuleHint(options.rule));
      return Fail(diagnostics);
    }
    text = std::string(rule->name) + " (" + SeverityName(rule->severity) + ")\n\n" + rule->page;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitClean;
}

}  // namespace opledger
