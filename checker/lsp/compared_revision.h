// The revision that the editor's texts are compared with, to find what a change introduces while it
// is typed, such as a new operator or a moved entry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "checker/git/revision_check.h"
#include "checker/project/check_options.h"
#include "checker/project/project.h"

namespace opledger {

struct ComparedRevision {
  std::string name;                      // the commit and whatever else the check depends on
  std::unique_ptr<RevisionCheck> check;  // nullptr if the revision could not be checked
};

// Returns the merge base of HEAD and --against, or of HEAD and the upstream branch if --against is
// not given, or HEAD if there is none. Returns `last` if it is still current. Returns nullptr for
// --against none, without a repository, and if the revision cannot be read; reports an error if
// --against names it.
std::shared_ptr<const ComparedRevision> FindComparedRevision(
    const CheckOptions& options, const Project& project,
    const std::shared_ptr<const ComparedRevision>& last, Diagnostics& diagnostics);

}  // namespace opledger
