// Where the files of a revision, or what is staged, are while they are checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/git/git.h"
#include "registry/platform/temporary_folder.h"

namespace opledger {

// One of the few folders that the cache keeps for the current folder, so that the next run finds
// most files there, and the scanner what it knows of them; `keep` false, or where there is no cache
// folder, one below that for temporary files, removed with this however the program ends. No other
// run uses it meanwhile.
class RevisionFolder {
 public:
  RevisionFolder() = default;
  ~RevisionFolder();
  RevisionFolder(RevisionFolder&& other) noexcept;
  RevisionFolder& operator=(RevisionFolder&& other) noexcept;

  // The files below the current folder. False, with an error, where they cannot be had.
  bool TakeRevision(const std::string& revision, bool keep, Diagnostics& diagnostics);
  bool TakeStaged(bool keep, Diagnostics& diagnostics);

  // Empty, and for whoever needs no git.
  bool TakeTemporary(Diagnostics& diagnostics);

  const std::string& path() const { return path_; }  // empty: nothing was taken
  const std::vector<Submodule>& submodules() const { return submodules_; }

 private:
  using ListFiles = std::function<std::optional<TreeListing>()>;

  bool Take(const std::string& tree, const std::string& what, const ListFiles& list, bool keep,
            Diagnostics& diagnostics);
  bool TakeKept(const std::string& tree, const std::string& what, const ListFiles& list,
                Diagnostics& diagnostics);
  void Leave();

  std::string path_;
  std::vector<Submodule> submodules_;
  int lock_ = -1;                               // of a kept folder
  std::unique_ptr<TemporaryFolder> temporary_;  // where nothing is kept
};

}  // namespace opledger
