// Reads the input of a check as the command line says: project, severities, manifest and lists.
// Every verb that uses operators and lists starts here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "checker/filter/baseline.h"
#include "checker/filter/filter.h"
#include "checker/filter/severities.h"
#include "checker/findings/evidence.h"
#include "checker/findings/suppression.h"
#include "checker/index/index.h"
#include "checker/project/check_options.h"
#include "checker/project/project.h"
#include "checker/terminal/phase_times.h"
#include "checker/terminal/source_lines.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

struct CheckedProject {
  std::optional<Project> project;
  Severities severities;
  std::optional<Manifest> manifest;
  std::vector<PrecisionList> lists;
  std::unique_ptr<SourceLines> lines;
  std::vector<Suppression> suppressions;  // in the source
  std::optional<Evidence> evidence;       // nullopt if no file is given
  std::string baseline_path;
  bool has_baseline = false;          // the file exists
  Baseline baseline;                  // for this dialect and, with --list, for these lists
  std::unique_ptr<CheckIndex> index;  // refers to manifest and lists, which must not move

  std::set<std::string> ListLabels() const;  // the labels of lists in findings

  // Call again after lists or suppressions change.
  void MakeIndex();

  PhaseTimes times;  // of the steps so far

  std::string configuration;  // as requested; may be empty
  bool lists_by_path = false;
};

// Returns the options for each check: one for each dialect if the project has several and the
// command line chooses none.
std::vector<CheckOptions> OptionsOfDialects(const CheckOptions& options);

// Returns false, with errors, if something cannot be read, or if there are no operators or no list.
bool OpenCheckedProject(const CheckOptions& options, CheckedProject& checked,
                        Diagnostics& diagnostics);

// Suppressions belong to no dialect. In a project with several dialects, an unused one is reported
// once if no dialect uses it, and not at all if only some dialects are checked. `checks` are those
// of all dialects, or of one.
void ReportSuppressionsOnce(const std::vector<CheckedProject*>& checks);

// Runs the rules and filters by severities, suppressions and baseline.
FilteredFindings FindingsOf(const CheckedProject& checked);

}  // namespace opledger
