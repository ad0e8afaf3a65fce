// The files of a git revision, or what is staged, checked as the project that they were
// (revision_check.h). Only plumbing that reads objects is run: no filter, hook, pager, external
// diff or fsmonitor of the repository or its user, and nothing is fetched. Every `folder` is a
// project's root, from which paths are seen.
// May include: checker/filter, checker/index, checker/project, checker/reports, checker/rules,
// checker/terminal, registry/dialect, registry/files, registry/json, registry/manifest,
// registry/platform, registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/source/git_tree.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The id of a revision's tree; empty for HEAD before the first commit. None, with an error, where
// there is no git, no repository or no such revision.
std::optional<std::string> FindTree(const std::string& folder, const std::string& revision,
                                    Diagnostics& diagnostics);

// The newest commit that the revision and HEAD have in common, as `git diff REVISION...` compares
// with: the revision's own name where that is it, else an id. Before the first commit, and where
// the two have no history in common, the revision itself. None, with an error, where a shallow
// clone does not have the commit; FindTree reports a revision that does not exist.
std::optional<std::string> FindMergeBase(const std::string& folder, const std::string& revision,
                                         Diagnostics& diagnostics);

// The branch that HEAD's branch is to be merged into or pushed to, "origin/main"; empty: it has
// none.
std::string FindUpstream(const std::string& folder);

// The files of the tree that FindTree gave, without those of submodules (submodules.h); `revision`
// is its name in messages.
std::optional<TreeListing> ListTree(const std::string& folder, const std::string& tree,
                                    const std::string& revision, Diagnostics& diagnostics);

// What is staged for the next commit: without edits that are not, without files that git does not
// have, and without those of a conflict.
std::optional<TreeListing> ListStaged(const std::string& folder, Diagnostics& diagnostics);

// Warns where the working tree leaves out files that git has: what they register is not seen in it.
void WarnOfSparseCheckout(const std::string& folder, Diagnostics& diagnostics);

}  // namespace opledger
