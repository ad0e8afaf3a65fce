// The files of a git tree, of a revision or of the index, as they would be checked out, read by the
// ids of their blobs: nothing is written anywhere, and no filter or hook runs.
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

// The files below a folder, sorted by path, paths as seen from it. Files at places that lead
// elsewhere are left out.
struct TreeListing {
  std::string tree;  // the id of the whole tree; empty where it has none: of the index
  std::string name;  // in messages
  std::vector<TreeFile> files;
  std::vector<Submodule> submodules;  // those above before those below
};

void Write(ByteWriter& out, const TreeListing& listing);
TreeListing ReadListing(ByteReader& in);

class GitTree : public FileTree {
 public:
  // The listing's files lie at `folder`, which is absolute, without links, and in a working tree.
  // Paths that are not below it are those on disk.
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
  // Where a path leads.
  struct Place {
    bool outside = false;  // not below the folder: `path` is absolute
    int error = 0;         // ELOOP
    std::string path;      // as the listing has it
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
