// What a check works on: project, severities, manifest and lists, read as the command line says.
// Every verb that looks at operators and lists starts here.
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
  std::vector<Suppression> suppressions;  // of the source
  std::optional<Evidence> evidence;       // none: no file is named
  std::string baseline_path;
  bool has_baseline = false;          // whether that file is there
  Baseline baseline;                  // of this dialect, and with --list of these lists
  std::unique_ptr<CheckIndex> index;  // of manifest and lists, which must stay where they are

  std::set<std::string> ListLabels() const;  // by which findings name the lists

  // Anew, after lists or suppressions have changed.
  void MakeIndex();

  PhaseTimes times;  // of what it took to get here

  std::string configuration;  // as requested
  bool lists_by_path = false;
};

// What is to be checked, one after the other: of each dialect of the project, where it has several
// and the command line chooses none.
std::vector<CheckOptions> OptionsOfDialects(const CheckOptions& options);

// False, with errors, where something cannot be read, where no operator was found, or no list.
bool OpenCheckedProject(const CheckOptions& options, CheckedProject& checked,
                        Diagnostics& diagnostics);

// Comments that silence findings are of no dialect. Of a project with several, `checks` are those
// of all of them, or of one: an unused comment is reported once, where none of them uses it, and
// not at all where only some are checked.
void ReportSuppressionsOnce(const std::vector<CheckedProject*>& checks);

// What the rules find in it, filtered by its own severities, suppressions and baseline.
FilteredFindings FindingsOf(const CheckedProject& checked);

}  // namespace opledger
