// What git's plumbing prints, as bytes: the names in it are those of files that anybody committed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/git/git.h"

namespace opledger {

// A listing without what is no file and what leads elsewhere; sorted by path.
struct GitListing {
  std::vector<TreeFile> files;
  std::vector<Submodule> submodules;
};

// Takes the records of `ls-tree -r -z`, "100644 blob ID\tPATH", or of `ls-files --stage -z`,
// "100644 ID 0\tPATH", where another number than 0 is one side of a conflict. Mode 160000 is a
// submodule.
class ListingReader {
 public:
  explicit ListingReader(bool is_index) : is_index_(is_index) {}
  void Add(std::string_view record);
  GitListing Take();

 private:
  bool is_index_;
  GitListing listing_;
};

// Runs git for such a listing, of the index where the first argument is ls-files. nullopt: it
// fails, with an error where it could not be run or did not answer.
std::optional<GitListing> ListFiles(const std::string& folder,
                                    const std::vector<std::string>& arguments,
                                    Diagnostics& diagnostics);
// The same in another repository (ReadGitOf).
std::optional<GitListing> ListFilesOf(const std::string& git_dir,
                                      const std::vector<std::string>& arguments,
                                      Diagnostics& diagnostics);

}  // namespace opledger
