// The files of a git tree (a revision or the index), as they would be checked out. They are read by
// the ids of their blobs: nothing is written, and no filters or hooks run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/source/disk_tree.h"
#include "registry/source/git_objects.h"
#include "registry/source/source.h"

namespace opledger {

struct TreeFile {
  std::string path;
  std::string id;  // of its blob
  bool is_link = false;
  int submodule = -1;  // the submodule that contains it; -1: none
};

// A submodule: a commit of another repository whose files are at `path`.
struct Submodule {
  enum class Place : std::uint8_t { kCheckedOut, kEmpty, kGone };  // in the working tree

  std::string path;
  std::string commit;
  std::string git_dir;  // of a repository that has the commit; empty: not available
  int parent = -1;      // the submodule that contains it; -1: none
  Place place = Place::kGone;
};

// The files below a folder, sorted by path. Paths are relative to the folder. Files whose path
// leads elsewhere are omitted.
struct TreeListing {
  std::string tree;  // id of the whole tree; empty for the index
  std::string name;  // for messages
  std::vector<TreeFile> files;
  std::vector<Submodule> submodules;  // parents before children
};

void Write(ByteWriter& out, const TreeListing& listing);
TreeListing ReadListing(ByteReader& in);

class GitTree : public FileTree {
 public:
  // `folder` contains the listing's files. It is absolute, free of links, and in a working tree.
  // Paths outside it refer to the disk.
  GitTree(std::string folder, TreeListing listing);

  PathState Examine(const std::string& path) const override;
  PathState ExamineLink(const std::string& path) const override;
  int List(const std::string& folder, std::vector<FolderEntry>& entries) const override;
  std::optional<std::string> Read(const std::string& root, const std::string& path,
                                  std::size_t maximum) const override;
  std::string Canonical(const std::string& path) const override;
  void AfterFork() const override { objects_.Restart(); }
  const char* Kind() const override { return listing_.tree.empty() ? "index" : "revision"; }
  void Pack(ByteWriter& out) const override;
  static std::shared_ptr<const FileTree> Unpack(ByteReader& in);

  const TreeListing& listing() const { return listing_; }

 private:
  // The target of a path.
  struct Place {
    bool outside = false;  // not below the folder; `path` is then absolute
    int error = 0;         // ELOOP
    std::string path;      // as in the listing
  };

  Place Outside(std::string path, std::vector<std::string> left, bool by_link) const;
  Place Resolve(const std::string& path, bool follow_last) const;
  const TreeFile* Find(const std::string& path) const;
  bool IsFolder(const std::string& path) const;
  PathState StateOf(const Place& place) const;

  std::string folder_;
  TreeListing listing_;
  std::unordered_map<std::string, std::string> links_;  // path -> target
  DiskTree disk_;
  mutable GitObjects objects_;
};

}  // namespace opledger
