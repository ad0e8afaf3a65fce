// @NAME@: prints the rule and the location of each finding.
//   stale-entry list.json:2:18
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/reports.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

std::string Render@PASCAL@(const ReportInput& input) {
  std::string text;
  for (const Finding& finding : input.findings) {
    text += finding.rule + ' ' + ShownPlace(finding.location) + '\n';
  }
  return text;
}

}  // namespace

extern const ReportFormat k@PASCAL@Report = {.name = "@NAME@",
                                             .summary = "the rule and the location of each finding",
                                             .render = Render@PASCAL@,
                                             .suggests = false};

}  // namespace opledger
