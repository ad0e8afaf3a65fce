// registry/source: the one way to look at a tree of files, whether it lies on disk (disk_tree.h),
// in git (git_tree.h), or below texts that no file holds yet (overlay_tree.h). In: paths. Out: what
// is there, names, bytes; of what cannot be looked at, why.
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
  kAbsent,  // there is nothing: ENOENT or ENOTDIR, and no other error
  kFile,
  kFolder,
  kLink,     // only where links are not followed
  kSpecial,  // a pipe, a device, a socket
  kUnknown,  // it cannot be examined: whatever rests on it is incomplete
};

// What a path is.
struct PathState {
  PathKind kind = PathKind::kAbsent;
  int error = 0;             // errno, of kUnknown
  FileStamp stamp = {};      // of what is there
  std::uint64_t device = 0;  // with stamp.inode: what else names the same file

  bool IsThere() const { return kind != PathKind::kAbsent && kind != PathKind::kUnknown; }
};

struct FolderEntry {
  std::string name;
  PathKind kind = PathKind::kUnknown;  // links are not followed; kUnknown: ask ExamineLink
};

// How far a path may lead.
enum class Reach : std::uint8_t {
  kAnywhere,  // the user, or this program, names it
  kBelow,     // a file of the tree names it: a path below the root may not lead out of it
};

// The files themselves. All paths are absolute; "." and ".." mean what they mean on disk.
class FileTree {
 public:
  virtual ~FileTree() = default;

  virtual PathState Examine(const std::string& path) const = 0;
  virtual PathState ExamineLink(const std::string& path) const = 0;
  // Gives 0, or errno; then the entries are not all.
  virtual int List(const std::string& folder, std::vector<FolderEntry>& entries) const = 0;
  // The bytes of a regular file; none, with errno set: EINVAL for what is no regular file, EFBIG
  // for one that is larger. `root`: the folder that the path, links followed, may not leave
  // (EXDEV); empty: there is none.
  virtual std::optional<std::string> Read(const std::string& root, const std::string& path,
                                          std::size_t maximum) const = 0;
  // Without links, ".", "..", also where nothing is there; empty, with errno set, where that cannot
  // be told.
  virtual std::string Canonical(const std::string& path) const = 0;

  // In a process that was forked: so that it does not share what it reads with.
  virtual void AfterFork() const {}
  // Which kind of tree it is, one word: what is known of one is seldom true of another.
  virtual const char* Kind() const = 0;
  // Whether these are the files on disk and nothing else.
  virtual bool IsDisk() const { return false; }
  // For another process of ours (UnpackSource).
  virtual void Pack(ByteWriter& out) const = 0;
};

// Files as seen from a folder, the root. Copies share the files.
class Source {
 public:
  Source(std::shared_ptr<const FileTree> files, std::string root)
      : files_(std::move(files)), root_(std::move(root)) {}

  const std::string& root() const { return root_; }  // absolute
  const std::shared_ptr<const FileTree>& files() const { return files_; }
  // The same files as seen from another folder.
  Source At(const std::string& folder) const { return {files_, Absolute(folder)}; }

  // A path as seen from the root.
  std::string Absolute(const std::string& path) const;

  PathState Examine(const std::string& path) const { return files_->Examine(Absolute(path)); }
  PathState ExamineLink(const std::string& path) const {
    return files_->ExamineLink(Absolute(path));
  }
  int List(const std::string& folder, std::vector<FolderEntry>& entries) const {
    return files_->List(Absolute(folder), entries);
  }
  std::string Canonical(const std::string& path) const { return files_->Canonical(Absolute(path)); }
  // As FileTree::Read; an absolute path that is not below the root is not kept there.
  std::optional<std::string> Read(const std::string& path, std::size_t maximum, Reach reach) const;
  // The same with an error that names the path and says why.
  std::optional<std::string> Read(const std::string& path, std::size_t maximum, Reach reach,
                                  Diagnostics& diagnostics) const;

  // Whether something is at the path. None, with an error, where that cannot be told.
  std::optional<bool> Exists(const std::string& path, Diagnostics& diagnostics) const;
  // Whether the path, links followed, lies in the root or below it; it need not be there. False too
  // where that cannot be told.
  bool Holds(const std::string& path) const;
  // The same; if not, an error at the path, which is `outside` unless it cannot be told.
  bool MustHold(const std::string& path, const Diagnostic& outside, Diagnostics& diagnostics) const;

  std::string Pack() const;

 private:
  std::shared_ptr<const FileTree> files_;
  std::string root_;
};

// The files on disk as seen from a folder; empty: from the current one.
Source DiskSource(const std::string& folder = {});

// What Source::Pack() gave in another process; none where the bytes are something else.
std::optional<Source> UnpackSource(std::string_view bytes);

// Why a file could not be read, by errno: "cannot read: Permission denied".
void ReportUnread(const std::string& path, int error, std::size_t maximum,
                  Diagnostics& diagnostics);

}  // namespace opledger
