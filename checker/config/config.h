// The configuration of a project: its settings and where each comes from (`opledger config show`),
// what is wrong with its files, schemas for editors, files to start from, `opledger doctor`.
// May include: checker/filter, checker/project, checker/reports, checker/rules, checker/terminal,
// registry/dialect, registry/files, registry/json, registry/platform, registry/precision_list,
// registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/check_options.h"
#include "checker/project/project.h"

namespace opledger {

struct EffectiveSetting {
  std::string name;                 // "lists", "severities.stale-entry"
  std::vector<std::string> values;  // none: it is not set
  std::string origin;               // "opledger.json:3", "--list", "NO_COLOR", "default"
};

// In the order in which they are shown. Errors: a dialect that cannot be read, a rule or severity
// that does not exist.
std::vector<EffectiveSetting> EffectiveSettings(const CheckOptions& options, const Project& project,
                                                Diagnostics& diagnostics);

// As lines: name, value, origin.
std::string SettingsText(const std::vector<EffectiveSetting>& settings);

}  // namespace opledger
