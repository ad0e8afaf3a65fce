// Reads the files of a git revision or of the index, which revision_check.h checks as a project.
// Runs only git's plumbing that reads objects: no filters, hooks, pagers, external diffs or
// fsmonitor, and no fetches. `folder` is the root of a project, and paths are relative to it.
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

// Returns the id of a revision's tree, or "" for HEAD before the first commit. Returns nullopt,
// with an error, if there is no git, no repository or no such revision.
std::optional<std::string> FindTree(const std::string& folder, const std::string& revision,
                                    Diagnostics& diagnostics);

// Returns the merge base of the revision and HEAD, as for `git diff REVISION...`: the revision's
// own name if it is the merge base, otherwise a commit id. Returns the revision itself before the
// first commit and if the histories are unrelated. Returns nullopt, with an error, if a shallow
// clone lacks the commit. Does not report a revision that does not exist: FindTree() does.
std::optional<std::string> FindMergeBase(const std::string& folder, const std::string& revision,
                                         Diagnostics& diagnostics);

// Returns the upstream of HEAD's branch, such as "origin/main", or "" if there is none.
std::string FindUpstream(const std::string& folder);

// Lists the files of a tree, without those of submodules (submodules.h). `tree` is from FindTree();
// `revision` is used in messages.
std::optional<TreeListing> ListTree(const std::string& folder, const std::string& tree,
                                    const std::string& revision, Diagnostics& diagnostics);

// Lists what is staged for the next commit. Reports an error if there are unresolved conflicts.
std::optional<TreeListing> ListStaged(const std::string& folder, Diagnostics& diagnostics);

// Warns if a sparse checkout leaves out files, because their registrations look removed.
void WarnOfSparseCheckout(const std::string& folder, Diagnostics& diagnostics);

}  // namespace opledger
