// Reads files on disk with system calls and classifies their errors.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/disk_tree.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "registry/files/files.h"
#include "registry/files/list_folder.h"
#include "registry/files/open_file.h"
#include "registry/source/path_parts.h"
#include "registry/source/unpack_tree.h"

namespace opledger {
namespace {

PathKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return PathKind::kFile;
  if (S_ISDIR(mode)) return PathKind::kFolder;
  return S_ISLNK(mode) ? PathKind::kLink : PathKind::kSpecial;
}

PathKind KindOf(const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return PathKind::kFile;
    case DT_DIR:
      return PathKind::kFolder;
    case DT_LNK:
      return PathKind::kLink;
    case DT_UNKNOWN:
      return PathKind::kUnknown;
    default:
      return PathKind::kSpecial;
  }
}

PathState StateOf(int result, const struct stat& status) {
  if (result == 0) {
    return {KindOf(status.st_mode), 0, StampOf(status), static_cast<std::uint64_t>(status.st_dev)};
  }
  if (errno == ENOENT || errno == ENOTDIR) return {};
  return {PathKind::kUnknown, errno, {}, 0};
}

// Returns an empty string and sets errno if it cannot be determined.
std::string CurrentFolder() {
  const std::unique_ptr<char, decltype(&std::free)> folder(getcwd(nullptr, 0), &std::free);
  return folder ? folder.get() : std::string();
}

}  // namespace

PathState DiskTree::Examine(const std::string& path) const {
  struct stat status = {};
  const int result = stat(path.c_str(), &status);
  return StateOf(result, status);
}

PathState DiskTree::ExamineLink(const std::string& path) const {
  struct stat status = {};
  const int result = lstat(path.c_str(), &status);
  return StateOf(result, status);
}

int DiskTree::List(const std::string& folder, std::vector<FolderEntry>& entries) const {
  return ListFolder(folder, [&](const dirent& entry) {
    entries.push_back({entry.d_name, KindOf(entry)});
  });
}

std::optional<std::string> DiskTree::Read(const std::string& root, const std::string& path,
                                          std::size_t maximum) const {
  const Descriptor file(root.empty() ? OpenInput(path) : OpenInputBelow(root, path));
  if (file.get() < 0) return std::nullopt;
  return ReadToEnd(file.get(), maximum);
}

std::string DiskTree::Canonical(const std::string& path) const {
  std::vector<std::string> left;
  PushParts(path, left);
  std::string whole;
  for (int links = 0; !left.empty();) {
    const std::string part = std::move(left.back());
    left.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      whole.erase(whole.empty() ? 0 : whole.rfind('/'));
      continue;
    }
    const std::string next = whole + '/' + part;
    const PathState state = ExamineLink(next);
    if (state.kind == PathKind::kUnknown) {
      errno = state.error;
      return {};
    }
    if (state.kind != PathKind::kLink) {
      whole = next;
      continue;
    }
    std::string target(PATH_MAX, '\0');
    const ssize_t size = readlink(next.c_str(), target.data(), target.size());
    if (size < 0) return {};
    target.resize(static_cast<std::size_t>(size));
    errno = ELOOP;
    if (++links > kMaximumLinks) return {};
    if (target.starts_with('/')) whole.clear();
    PushParts(target, left);
  }
  return whole.empty() ? "/" : whole;
}

void DiskTree::Pack(ByteWriter& out) const {
  out.Number(static_cast<std::uint64_t>(PackedTree::kDisk));
}

Source DiskSource(const std::string& folder) {
  std::string root = folder;
  if (!root.starts_with('/')) {
    std::string current = CurrentFolder();
    // Absolute, like every root. The same folder, but not by its name.
    if (current.empty()) current = "/proc/self/cwd";
    root = folder.empty() || folder == "." ? current : current + '/' + folder;
  }
  return {std::make_shared<DiskTree>(), root};
}

std::optional<Source> CurrentSource(Diagnostics& diagnostics) {
  const std::string current = CurrentFolder();
  if (!current.empty()) return DiskSource(current);
  return diagnostics.Error(
      {}, std::string("cannot determine the current folder: ") + std::strerror(errno),
      "change to an existing folder that you can read");
}

}  // namespace opledger
