// Finds what a change hides: findings about today's files that the settings and suppressions of a
// revision report, but today's do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/git/revision_check.h"
#include "checker/git/revision_settings.h"

namespace opledger {

// Drops suppressions that `before` does not have.
void KeepOldSuppressions(const RevisionCheck& before, CheckedProject& checked);

// Returns a finding for each setting or comment that hides findings, at its place. `all` are
// today's findings of the rules. Returns nullopt, with errors, if the settings of the revision
// cannot be applied.
std::optional<std::vector<Finding>> FindHidden(const std::vector<Finding>& all,
                                               const RevisionCheck& before,
                                               const std::string& revision, CheckedProject& checked,
                                               const RevisionSettings& settings,
                                               Diagnostics& diagnostics);

// Likewise for a dialect that the project no longer has: reports its new findings by the settings
// of the revision.
std::optional<std::vector<Finding>> FindHiddenDialect(const std::string& dialect,
                                                      const RevisionCheck& before,
                                                      const std::string& revision,
                                                      const RevisionSettings& settings,
                                                      Diagnostics& diagnostics);

}  // namespace opledger
