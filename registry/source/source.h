// Access to trees of files on disk (disk_tree.h), in git (git_tree.h), or overlaid with texts that
// are not saved (overlay_tree.h).
// In: paths. Out: states of paths, names, bytes; errors for what cannot be read.
// May include: registry/files, registry/platform, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/source/file_stamp.h"
#include "registry/text/bytes.h"
#include "registry/text/diagnostics.h"

namespace opledger {

enum class PathKind : std::uint8_t {
  kAbsent,  // does not exist (ENOENT or ENOTDIR only)
  kFile,
  kFolder,
  kLink,     // only if links are not followed
  kSpecial,  // a pipe, a device, a socket
  kUnknown,  // cannot be examined: results that depend on it are incomplete
};

// The state of a path.
struct PathState {
  PathKind kind = PathKind::kAbsent;
  int error = 0;             // errno for kUnknown
  FileStamp stamp = {};      // of an existing path
  std::uint64_t device = 0;  // with stamp.inode, identifies the file

  bool IsThere() const { return kind != PathKind::kAbsent && kind != PathKind::kUnknown; }
};

struct FolderEntry {
  std::string name;
  PathKind kind = PathKind::kUnknown;  // links are not followed; kUnknown: call ExamineLink
};

// Where a path may lead.
enum class Reach : std::uint8_t {
  kAnywhere,  // the path comes from the user or from this program
  kBelow,  // the path comes from a file of the tree: if it is below the root, it must not leave it
};

// A tree of files. All paths are absolute; "." and ".." have their usual meaning.
class FileTree {
 public:
  virtual ~FileTree() = default;

  virtual PathState Examine(const std::string& path) const = 0;
  virtual PathState ExamineLink(const std::string& path) const = 0;
  // Returns 0, or an errno; the entries are incomplete in that case.
  virtual int List(const std::string& folder, std::vector<FolderEntry>& entries) const = 0;
  // Returns the contents of a regular file. Returns nullopt and sets errno on failure: EINVAL if it
  // is not a regular file, EFBIG if it is larger than `maximum`, EXDEV if the path leads out of the
  // folder `root` after following links. If `root` is empty, the path may lead anywhere.
  virtual std::optional<std::string> Read(const std::string& root, const std::string& path,
                                          std::size_t maximum) const = 0;
  // Returns the path without links, "." and "..", even if it does not exist. Returns an empty
  // string and sets errno on failure.
  virtual std::string Canonical(const std::string& path) const = 0;

  // Must be called in a forked process, so that it does not share git processes with its parent.
  virtual void AfterFork() const {}
  // Returns the kind of tree, one word. What is known about one kind rarely applies to another.
  virtual const char* Kind() const = 0;
  // Returns whether these are exactly the files on disk.
  virtual bool IsDisk() const { return false; }
  // Serializes the tree for another process (UnpackSource).
  virtual void Pack(ByteWriter& out) const = 0;
};

// A tree of files seen from a folder, the root. Copies share the tree.
class Source {
 public:
  Source(std::shared_ptr<const FileTree> files, std::string root)
      : files_(std::move(files)), root_(std::move(root)) {}

  const std::string& root() const { return root_; }  // absolute
  const std::shared_ptr<const FileTree>& files() const { return files_; }
  // Returns the same files seen from another folder.
  Source At(const std::string& folder) const { return {files_, Absolute(folder)}; }

  // Resolves a path relative to the root.
  std::string Absolute(const std::string& path) const;

  PathState Examine(const std::string& path) const { return files_->Examine(Absolute(path)); }
  PathState ExamineLink(const std::string& path) const {
    return files_->ExamineLink(Absolute(path));
  }
  int List(const std::string& folder, std::vector<FolderEntry>& entries) const {
    return files_->List(Absolute(folder), entries);
  }
  std::string Canonical(const std::string& path) const { return files_->Canonical(Absolute(path)); }
  // Like FileTree::Read. An absolute path that is not below the root is not confined to it.
  std::optional<std::string> Read(const std::string& path, std::size_t maximum, Reach reach) const;
  // Reports an error with the path on failure.
  std::optional<std::string> Read(const std::string& path, std::size_t maximum, Reach reach,
                                  Diagnostics& diagnostics) const;

  // Returns whether the path exists. Returns nullopt and reports an error if this is unknown.
  std::optional<bool> Exists(const std::string& path, Diagnostics& diagnostics) const;
  // Returns whether the path, after following links, is the root or below it. It need not exist.
  // Also returns false, with errno set, if this is unknown.
  bool Holds(const std::string& path) const;
  // Like Holds(), but otherwise reports an error: `outside`, or why it is unknown.
  bool MustHold(const std::string& path, const Diagnostic& outside, Diagnostics& diagnostics) const;

  std::string Pack() const;

 private:
  std::shared_ptr<const FileTree> files_;
  std::string root_;
};

// Returns the files on disk seen from a folder; empty: the current folder.
Source DiskSource(const std::string& folder = {});

// Restores a Source from Source::Pack(). Returns nullopt if the bytes are invalid.
std::optional<Source> UnpackSource(std::string_view bytes);

// Reports why a file could not be read, by errno: "cannot read: Permission denied".
void ReportUnread(const std::string& path, int error, std::size_t maximum,
                  Diagnostics& diagnostics);

}  // namespace opledger
