// Findings and counts -> text. One file per format, listed in reports.cpp. Every format escapes
// what it shows: operator names and paths come from untrusted code.
// May include: checker/candidates, checker/filter, checker/findings, checker/index, checker/rules,
// checker/terminal, registry/files, registry/json, registry/manifest, registry/precision_list,
// registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/findings.h"
#include "checker/reports/finding_groups.h"
#include "checker/reports/summary.h"
#include "checker/terminal/source_lines.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// The lowest severity that fails the check; none: nothing does.
using FailOn = std::optional<Severity>;

// What was checked of one dialect.
struct CheckedDialect {
  const Summary& summary;
  const Manifest& manifest;
};

struct ReportInput {
  const std::vector<Finding>& findings;  // sorted; of all dialects
  std::vector<CheckedDialect> dialects;  // one at least
  SourceLines& lines;
  std::vector<std::string> guidelines;  // empty: the built-in ones
  int exit_status = 0;
  bool color = false;
  bool quiet = false;
  FailOn fail_on = Severity::kWarning;
  std::vector<Finding> silenced = {};  // sorted; their status says why
  std::string today = {};              // the day on which ends of suppressions were checked
  // The edit that gives each finding's operator its likeliest policy; without a path: none.
  std::vector<Edit> classifications = {};

  bool Fails(const Finding& finding) const { return fail_on && finding.severity >= *fail_on; }
  bool HasSeveralDialects() const { return dialects.size() > 1; }
  // A line for each dialect, without its line end.
  std::vector<std::string> SummaryLines() const;
  std::vector<FindingGroup> Groups() const;
};

struct ReportFormat {
  const char* name;
  const char* summary;  // one line, for help texts
  std::string (*render)(const ReportInput& input);
  bool suggests = true;  // shows the evidence for each policy, or the command that follows from it
  bool classifies = false;  // shows ReportInput::classifications
};

const std::vector<ReportFormat>& ReportFormats();
const ReportFormat* FindReportFormat(std::string_view name);
std::vector<std::string> ReportFormatNames();

}  // namespace opledger
