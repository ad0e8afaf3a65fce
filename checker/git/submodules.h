// Submodules: adds their files to the tree that names their commits, and finds those that cannot be
// compared because a commit is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/git/git.h"
#include "checker/project/checked_project.h"
#include "registry/manifest/manifest.h"

namespace opledger {

// Adds the files of submodules, at any depth, at the commits in the listing. Reads the repositories
// in the working tree, or those that git keeps for submodules that are gone. Files in `known` are
// not read from git again.
void AddSubmodules(const std::string& folder, TreeListing& listing, const TreeListing& known);

// Returns the submodules of the index. One that is checked out counts as present, whatever its
// commit. Includes nested ones only if `base` has nested ones that are missing.
std::vector<Submodule> SubmodulesOfWorkTree(const std::string& folder,
                                            const std::vector<Submodule>& base);

// Returns the submodules that cannot be compared: those missing in one of the states, unless both
// have the same commit. `base` is of `revision`, or empty if there is none. The locations are the
// paths of the submodules.
std::vector<Incomplete> FindUnseen(const std::vector<Submodule>& base,
                                   const std::vector<Submodule>& now, const std::string& revision,
                                   const CheckOptions& options, const CheckedProject& checked);

// Returns whether `path` is in a submodule that cannot be compared.
bool IsUnseen(const std::vector<Incomplete>& unseen, const std::string& path);

}  // namespace opledger
