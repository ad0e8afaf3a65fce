// concise: one line per finding, for editors, grep and pre-commit.
//   src/a.cc:4:18: error: operator 'swish' has no policy in list 'float16' [unclassified-operator]
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/reports.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

std::string RenderConcise(const ReportInput& input) {
  std::string text;
  std::size_t size = 0;  // reserved at once: growing a large text would need twice the memory
  for (const Finding& finding : input.findings) {
    size += finding.location.path.text().size() + finding.message.size() + 48;
  }
  text.reserve(size);
  for (const Finding& finding : input.findings) {
    text += ShownPlace(finding.location) + ": " + SeverityName(finding.severity) + ": " +
            Printable(finding.message) + " [" + finding.rule + "]\n";
  }
  return text;
}

}  // namespace

extern const ReportFormat kConciseReport = {"concise", "one line per finding", RenderConcise,
                                            false};

}  // namespace opledger
