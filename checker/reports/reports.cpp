// The table of report formats.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/reports.h"

namespace opledger {

std::vector<std::string> ReportInput::SummaryLines() const {
  std::vector<std::string> lines;
  for (const CheckedDialect& each : dialects) lines.push_back(SummaryLine(each.summary));
  return lines;
}

std::vector<FindingGroup> ReportInput::Groups() const {
  std::vector<const Manifest*> manifests;
  for (const CheckedDialect& each : dialects) manifests.push_back(&each.manifest);
  return GroupFindings(findings, manifests);
}

// Each is defined in the file of its name in this folder.
extern const ReportFormat kTextReport;
extern const ReportFormat kConciseReport;
extern const ReportFormat kJsonReport;
extern const ReportFormat kSarifReport;
extern const ReportFormat kGithubReport;
extern const ReportFormat kGitlabReport;
extern const ReportFormat kJunitReport;
extern const ReportFormat kMarkdownReport;
extern const ReportFormat kRdjsonReport;

const std::vector<ReportFormat>& ReportFormats() {
  static const std::vector<ReportFormat> formats = {kTextReport,  kConciseReport,  kJsonReport,
                                                    kSarifReport, kGithubReport,   kGitlabReport,
                                                    kJunitReport, kMarkdownReport, kRdjsonReport};
  return formats;
}

std::vector<std::string> ReportFormatNames() {
  std::vector<std::string> names;
  for (const ReportFormat& format : ReportFormats()) names.emplace_back(format.name);
  return names;
}

const ReportFormat* FindReportFormat(std::string_view name) {
  for (const ReportFormat& format : ReportFormats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace opledger
