// The configuration of a project: shows each setting and its origin (`opledger config show`),
// validates files, makes schemas for editors and starter files, and runs `opledger doctor`.
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
  std::string name;                 // such as "lists" or "severities.stale-entry"
  std::vector<std::string> values;  // empty if not set
  std::string origin;               // such as "opledger.json:3", "--list", "NO_COLOR" or "default"
};

// Returns the settings in the order of the output. Reports an error for a dialect that cannot be
// read and for an unknown rule or severity.
std::vector<EffectiveSetting> EffectiveSettings(const CheckOptions& options, const Project& project,
                                                Diagnostics& diagnostics);

// Returns a line per setting: name, value, origin.
std::string SettingsText(const std::vector<EffectiveSetting>& settings);

}  // namespace opledger
