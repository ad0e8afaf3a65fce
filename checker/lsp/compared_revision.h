// The revision that the texts of an editor are compared with, so that what a change brings is found
// as it is typed: an operator that is new, an entry that moves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "checker/git/revision_check.h"
#include "checker/project/check_options.h"
#include "checker/project/project.h"

namespace opledger {

struct ComparedRevision {
  std::string name;                      // of the commit, and what else the check depends on
  std::unique_ptr<RevisionCheck> check;  // nullptr if the revision could not be checked
};

// Of --against or, without it, of the upstream branch or HEAD: the commit that HEAD branched off
// from. `last` is returned again where it still is the one. nullptr: "none" was asked for, there is
// no repository, or the revision cannot be read; of one that --against names, an error says why.
std::shared_ptr<const ComparedRevision> FindComparedRevision(
    const CheckOptions& options, const Project& project,
    const std::shared_ptr<const ComparedRevision>& last, Diagnostics& diagnostics);

}  // namespace opledger
