// The reports: findings -> text. One file per format under reports/, listed in reports.cpp.
// Every format escapes what it shows: operator names and paths come from code nobody has read yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/finding.h"
#include "checker/terminal/source_lines.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

class CheckIndex;

// How one list stands.
struct ListSummary {
  std::string label;
  std::string path;
  std::string_view text;  // the list's bytes
  std::string configuration;
  int classified = 0;  // operators that need a class and have one
  int unclassified = 0;
  std::vector<std::string_view> operators;  // the classified ones, sorted by name
};

// The least severity that fails the check; none: nothing does.
using FailOn = std::optional<Severity>;

struct Summary {
  std::string dialect;
  int operators = 0;
  int exempt = 0;
  int ignored = 0;      // findings that an ignore rule or a suppression took out
  int baseline = 0;     // findings that stand in the baseline
  std::string against;  // the revision whose findings count as the baseline's do; empty: none
  int resolved = 0;     // what stands in the baseline and is found no longer
  int incomplete = 0;   // places the scan could not read, without the ignored ones
  std::vector<ListSummary> lists;
  std::map<std::string, int> by_rule;

  int errors = 0;
  int warnings = 0;
  int notes = 0;
};

struct ReportInput {
  const std::vector<Finding>& findings;  // sorted
  const Summary& summary;
  const Manifest& manifest;
  SourceLines& lines;
  std::vector<std::string> guidelines;  // empty: the built-in ones
  int exit_status = 0;
  bool color = false;
  bool quiet = false;
  FailOn fail_on = Severity::kWarning;
  std::vector<Finding> silenced = {};  // sorted; their status says why
  std::string today = {};              // the day on which ends of suppressions were judged

  bool Fails(const Finding& finding) const { return fail_on && finding.severity >= *fail_on; }
};

struct ReportFormat {
  const char* name;
  const char* summary;  // one line, for help texts
  std::string (*render)(const ReportInput& input);
  bool suggests = true;  // shows what speaks for which policy, or the command that follows from it
};

const std::vector<ReportFormat>& ReportFormats();
const ReportFormat* FindReportFormat(std::string_view name);

// What to count, of a manifest and its lists, before rules are silenced.
struct CheckInput;
Summary Summarise(const CheckIndex& index);
// Counts the findings that remain, and those that are silenced.
void CountFindings(const std::vector<Finding>& findings, const std::vector<Finding>& silenced,
                   Summary& summary);

// "mxnet: 997 operators (308 exempt); float16 (gpu): 688 classified, 1 unclassified; 1 error"
std::string SummaryLine(const Summary& summary);

// "src/a.cc:3:7", "src/a.cc" for a whole file, "opledger" for no file at all.
std::string ShownPlace(const Location& location);

// `path` so that no line that starts with it is taken for a command of a CI system: "::error" and
// "##[" become "./::error" and "./##[". Control characters become \xNN.
std::string ShownPath(std::string_view path);

}  // namespace opledger
