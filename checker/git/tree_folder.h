// Makes a folder hold exactly the files of a listing. What is there already, by a record that is
// kept beside the folder, is not read from git again; whatever else is there, or does not look as
// the record says, is replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/git/git.h"

namespace opledger {

// What tells without reading a file that nobody changed it. Zero: there is none.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::int64_t changed = 0;
  std::uint64_t inode = 0;

  auto operator<=>(const FileState&) const = default;
};

struct FolderRecord {
  struct File {
    std::string path;
    std::string id;  // of its blob
    bool is_link = false;
    FileState state;  // zero: it could not be made
    int submodule = -1;
  };
  std::string tree;         // as in TreeListing
  std::vector<File> files;  // sorted by path
  std::vector<Submodule> submodules;
  std::uint64_t bytes = 0;  // of the files

  // How many files of the listing it does not have.
  std::size_t Missing(const TreeListing& listing) const;
};

std::string SerializeRecord(const FolderRecord& record);
// Empty where the bytes are damaged or of another version.
FolderRecord ParseRecord(std::string_view bytes);

// The folder (absolute, existing) that holds what `record` says, or anything else, holds the
// listing's files afterwards, and `record` says so. Links that lead elsewhere lead to nothing; of
// files over 64 MB only the length is written. False, with an error or not, where that cannot be
// done.
bool HoldFiles(const std::string& folder, const TreeListing& listing, FolderRecord& record,
               Diagnostics& diagnostics);

}  // namespace opledger
