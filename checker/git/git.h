// The files of a git revision, or what is staged, in a folder of their own, checked as a project
// there. Only plumbing that reads objects is run: no filter, hook, pager, external diff or
// fsmonitor of the repository or its user, and nothing is fetched.
// May include: checker/index, checker/project, checker/reports, checker/rules, checker/terminal,
// registry/platform, registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/platform/temporary_folder.h"
#include "registry/text/diagnostics.h"

namespace opledger {

using RevisionFolder = TemporaryFolder;

// Writes what `revision` holds below the current folder to the same places below `folder`. Links
// that lead elsewhere and submodules are left out; of files over 64 MB only the length is written.
// False, with an error, where there is no git, no repository or no such revision. HEAD before the
// first commit holds nothing.
bool ExportRevision(const std::string& revision, const std::string& folder,
                    Diagnostics& diagnostics);

// The same with what is staged for the next commit: without edits that are not, and without files
// that git does not have.
bool ExportStaged(const std::string& folder, Diagnostics& diagnostics);

}  // namespace opledger
