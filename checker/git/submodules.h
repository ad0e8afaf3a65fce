// Submodules: their files as part of the tree that names their commits, and what cannot be compared
// where a commit is not here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/git/git.h"
#include "checker/project/checked_project.h"
#include "registry/manifest/manifest.h"

namespace opledger {

// Adds the files of its submodules, at any depth, by the commits that the listing names, from the
// repositories in the working tree, or, of what is no longer in it, those that git keeps. What
// `known` has of them is not asked of git again.
void AddSubmodules(const std::string& folder, TreeListing& listing, const TreeListing& known);

// Those of the index, as they are in the working tree: one that is checked out is there, whatever
// its commit. Where `base` has nested ones that are not here, nested ones too.
std::vector<Submodule> SubmodulesOfWorkTree(const std::string& folder,
                                            const std::vector<Submodule>& base);

// What of the sources cannot be compared: submodules of which one of the two states is not here,
// unless both have the same commit. `base` is that of `revision`; empty: there is none. A location
// is the submodule's path.
std::vector<Incomplete> FindUnseen(const std::vector<Submodule>& base,
                                   const std::vector<Submodule>& now, const std::string& revision,
                                   const CheckOptions& options, const CheckedProject& checked);

// Whether `path` lies in a submodule that cannot be compared.
bool IsUnseen(const std::vector<Incomplete>& unseen, const std::string& path);

}  // namespace opledger
