// What a change hides: findings that the settings and suppressions of a revision report of the
// files of today, and those of today do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/git/revision_check.h"
#include "checker/git/revision_settings.h"

namespace opledger {

// Without the suppressions that `before` does not have.
void KeepOldSuppressions(const RevisionCheck& before, CheckedProject& checked);

// One finding for each setting or comment that hides some, at its place. `all` is what the rules
// find today. None, with errors, where the settings of the revision cannot be applied.
std::optional<std::vector<Finding>> FindHidden(const std::vector<Finding>& all,
                                               const RevisionCheck& before,
                                               const std::string& revision, CheckedProject& checked,
                                               const RevisionSettings& settings,
                                               Diagnostics& diagnostics);

// The same of a dialect that the project has no longer: all that the revision's settings report of
// it today, and the revision did not have.
std::optional<std::vector<Finding>> FindHiddenDialect(const std::string& dialect,
                                                      const RevisionCheck& before,
                                                      const std::string& revision,
                                                      const RevisionSettings& settings,
                                                      Diagnostics& diagnostics);

}  // namespace opledger
