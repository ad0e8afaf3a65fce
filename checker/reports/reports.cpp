// The table of report formats.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/reports.h"

#include <algorithm>

namespace opledger {

// One per file of reports/, of the same name.
extern const ReportFormat kTextReport;
extern const ReportFormat kConciseReport;
extern const ReportFormat kJsonReport;
extern const ReportFormat kSarifReport;
extern const ReportFormat kGithubReport;
extern const ReportFormat kGitlabReport;
extern const ReportFormat kJunitReport;
extern const ReportFormat kMarkdownReport;

const std::vector<ReportFormat>& ReportFormats() {
  static const std::vector<ReportFormat> formats = {kTextReport,  kConciseReport, kJsonReport,
                                                    kSarifReport, kGithubReport,  kGitlabReport,
                                                    kJunitReport, kMarkdownReport};
  return formats;
}

const ReportFormat* FindReportFormat(std::string_view name) {
  for (const ReportFormat& format : ReportFormats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string ShownPlace(const Location& location) {
  if (location.path.empty()) return "opledger";
  std::string place = ShownPath(location.path);
  if (location.line <= 0) return place;
  return place + ':' + std::to_string(location.line) + ':' +
         std::to_string(std::max(location.column, 1));
}

std::string ShownPath(std::string_view path) {
  std::string shown = Printable(path);
  if (shown.starts_with(':') || shown.starts_with('#')) shown.insert(0, "./");
  return shown;
}

}  // namespace opledger
