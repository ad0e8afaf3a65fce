// The files of a git revision, or what is staged, in a folder of their own (revision_folder.h),
// checked as a project there. Only plumbing that reads objects is run: no filter, hook, pager,
// external diff or fsmonitor of the repository or its user, and nothing is fetched.
// May include: checker/filter, checker/index, checker/project, checker/reports, checker/rules,
// checker/terminal, registry/dialect, registry/json, registry/manifest, registry/platform,
// registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

struct TreeFile {
  std::string path;
  std::string id;  // of its blob
  bool is_link = false;
  int submodule = -1;  // that has it; -1: none
};

// Of a tree: the commit of another repository whose files stand at `path`.
struct Submodule {
  enum class Place : std::uint8_t { kCheckedOut, kEmpty, kGone };  // in the working tree

  std::string path;
  std::string commit;
  std::string git_dir;  // of a repository that has the commit; empty: there is none here
  int parent = -1;      // the submodule that it is one of; -1: none
  Place place = Place::kGone;
};

// Files below the current folder, sorted by path, paths as seen from it. Files at places that lead
// elsewhere are left out, and those of submodules until AddSubmodules() (submodules.h).
struct TreeListing {
  std::string tree;  // the id of the whole tree; empty where it has none: of the index
  std::string name;  // in messages
  std::vector<TreeFile> files;
  std::vector<Submodule> submodules;  // those above before those below
};

// The id of a revision's tree; empty for HEAD before the first commit. None, with an error, where
// there is no git, no repository or no such revision.
std::optional<std::string> FindTree(const std::string& revision, Diagnostics& diagnostics);

// The files of the tree that FindTree gave; `revision` is its name in messages.
std::optional<TreeListing> ListTree(const std::string& tree, const std::string& revision,
                                    Diagnostics& diagnostics);

// What is staged for the next commit: without edits that are not, without files that git does not
// have, and without those of a conflict.
std::optional<TreeListing> ListStaged(Diagnostics& diagnostics);

// Takes the blobs of `files`, however large, piece by piece: `begin` with the size of each, then
// `take` with its bytes. Those that git does not have are `absent`. False where either gives false.
struct BlobTaker {
  std::function<bool(const TreeFile&, std::uint64_t size)> begin;
  std::function<bool(std::string_view)> take;
};
bool ReadBlobs(std::vector<TreeFile> files, const std::vector<Submodule>& submodules,
               const BlobTaker& taker, std::vector<std::string>& absent, Diagnostics& diagnostics);

// Of files whose blobs a partial clone does not have, of the state `what`. Nothing is fetched.
// False, with an error: settings are among them; of others it is enough to say so.
bool TellAbsent(const std::vector<std::string>& absent, const std::string& what,
                Diagnostics& diagnostics);

// Warns where the working tree leaves out files that git has: what they register is not seen in it.
void WarnOfSparseCheckout(Diagnostics& diagnostics);

}  // namespace opledger
