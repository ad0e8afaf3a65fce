// Renders findings and counts. Each format has a file and a line in reports.cpp. Every format must
// escape names and paths, which come from untrusted code.
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

// The lowest severity that fails the check; nullopt: none.
using FailOn = std::optional<Severity>;

// A dialect that was checked.
struct CheckedDialect {
  const Summary& summary;
  const Manifest& manifest;
};

struct ReportInput {
  const std::vector<Finding>& findings;  // of all dialects, sorted
  std::vector<CheckedDialect> dialects;  // at least one
  SourceLines& lines;
  std::vector<std::string> guidelines;  // empty: the built-in ones
  int exit_status = 0;
  bool color = false;
  bool quiet = false;
  FailOn fail_on = Severity::kWarning;
  std::vector<Finding> silenced = {};  // sorted; status and reason say why
  std::string today = {};              // date that end dates of suppressions were compared with
  // For each finding, the edit with the likeliest policy; without a path if there is none.
  std::vector<Edit> classifications = {};

  bool Fails(const Finding& finding) const { return fail_on && finding.severity >= *fail_on; }
  bool HasSeveralDialects() const { return dialects.size() > 1; }
  // Returns a line for each dialect, without line ends.
  std::vector<std::string> SummaryLines() const;
  std::vector<FindingGroup> Groups() const;
};

struct ReportFormat {
  const char* name;
  const char* summary;  // one line, for help
  std::string (*render)(const ReportInput& input);
  bool suggests = true;     // shows the evidence for policies, or commands based on it
  bool classifies = false;  // shows ReportInput::classifications
};

// All formats, in the order in which help lists them.
const std::vector<ReportFormat>& ReportFormats();
// Returns nullptr if there is no such format.
const ReportFormat* FindReportFormat(std::string_view name);
std::vector<std::string> ReportFormatNames();

}  // namespace opledger
