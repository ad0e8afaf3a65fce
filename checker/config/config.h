// What a check would go by here: every setting, its value and where that comes from, a flag above
// the project file, that above the dialect and what is built in. `opledger config show` prints it.
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
