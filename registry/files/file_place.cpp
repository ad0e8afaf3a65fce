// Resolves paths to a folder and a name. The kernel opens the folder of the path and follows its
// links; the last part of the path is then examined in the open folder.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/file_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <filesystem>

#include "registry/files/repeated.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the limit of Linux

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Opens the folder and creates missing parts. `path` is relative to `root` or absolute.
int OpenFolderBelow(const std::string& root, const fs::path& path) {
  const int folder = OpenInputBelow(root, path.string());
  if (folder >= 0 || errno != ENOENT || path.is_absolute()) return folder;
  fs::path made = ".";
  for (const fs::path& part : path) {
    const Descriptor above(OpenInputBelow(root, made.string()));
    made /= part;
    if (above.get() < 0) return -1;
    if (part != ".." && mkdirat(above.get(), part.c_str(), 0777) != 0 && errno != EEXIST) return -1;
  }
  return OpenInputBelow(root, made.string());
}

// Returns the target of the symbolic link `name` in the folder. Returns an empty string and sets
// errno if it cannot be read: EINVAL if `name` is not a link, ENOENT if it does not exist.
std::string ReadLinkAt(int folder, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = readlinkat(folder, name.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  if (size == 0) errno = ENOENT;
  return target;
}

}  // namespace

std::optional<FilePlace> FindFilePlace(const std::string& root, const std::string& path) {
  fs::path wanted = path;
  for (int i = 0; i < kMostLinks; ++i) {
    const fs::path folder = FolderOf(wanted);
    FilePlace place = {
        Descriptor(root.empty() ? OpenInput(folder.string()) : OpenFolderBelow(root, folder)),
        (root.empty() || folder.is_absolute() ? folder : root / folder).string(),
        wanted.filename().string()};
    // The folder is writable but not readable.
    if (place.folder.get() < 0 && errno == EACCES && root.empty()) {
      place.folder = Descriptor(OpenFolder(folder.string()));
    }
    if (place.folder.get() < 0) return std::nullopt;
    const bool is_folder = place.name.empty() || place.name == "." || place.name == "..";
    errno = EISDIR;
    if (is_folder) return std::nullopt;
    const std::string target = ReadLinkAt(place.folder.get(), place.name);
    if (target.empty() && (errno == EINVAL || errno == ENOENT)) return place;
    if (target.empty()) return std::nullopt;
    wanted = fs::path(target).is_absolute() ? fs::path(target) : folder / target;
  }
  errno = ELOOP;
  return std::nullopt;
}

std::optional<struct stat> ExaminePlace(const FilePlace& place) {
  struct stat status = {};
  if (fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return status;
}

bool IsSamePlace(const FilePlace& a, const FilePlace& b) {
  struct stat one = {};
  struct stat other = {};
  return a.name == b.name && fstat(a.folder.get(), &one) == 0 &&
         fstat(b.folder.get(), &other) == 0 && one.st_ino == other.st_ino &&
         one.st_dev == other.st_dev;
}

bool SyncFolder(const FilePlace& place) {
  // Some file systems do not support it, and a folder without read permission is open only as a
  // path.
  const int result = Repeated([&] { return fsync(place.folder.get()); });
  return result == 0 || errno == EINVAL || errno == EBADF;
}

}  // namespace opledger
