// Parses the output of git's plumbing as bytes. The names in it are not trusted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/git/git.h"

namespace opledger {

// Files and submodules, sorted by path. Other records, and paths that leave the folder, are left
// out.
struct GitListing {
  std::vector<TreeFile> files;
  std::vector<Submodule> submodules;
};

// Parses the records of `ls-tree -r -z`, "100644 blob ID\tPATH", or of `ls-files --stage -z`,
// "100644 ID 0\tPATH", where a stage other than 0 is one side of a conflict. Mode 160000 is a
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

// Runs git for a listing; of the index if the first argument is ls-files. Returns nullopt if git
// fails, with an error if it could not be run or did not answer.
std::optional<GitListing> ListFiles(const std::string& folder,
                                    const std::vector<std::string>& arguments,
                                    Diagnostics& diagnostics);
// Like ListFiles, in the repository `git_dir`, using ReadGitOf().
std::optional<GitListing> ListFilesOf(const std::string& git_dir,
                                      const std::vector<std::string>& arguments,
                                      Diagnostics& diagnostics);

}  // namespace opledger
