// Every path is looked up on disk at most once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_set>

namespace opledger::scan {

std::string NormalPath(std::string_view path) {
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  while (at <= path.size()) {
    std::size_t slash = std::min(path.find('/', at), path.size());
    std::string_view part = path.substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string normal = path.starts_with('/') ? "/" : "";
  for (std::string_view part : parts) {
    if (!normal.empty() && normal.back() != '/') normal.push_back('/');
    normal.append(part);
  }
  return normal;
}

SourceTree::SourceTree(std::string root, const std::vector<std::string>& include_directories)
    : root_(std::move(root)) {
  for (const std::string& directory : include_directories) {
    std::string normal = NormalPath(directory);
    if (normal == root_) normal.clear();
    if (normal.starts_with(root_ + "/")) normal.erase(0, root_.size() + 1);
    struct stat status;
    if (stat(Absolute(normal).c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      include_directories_.push_back(std::move(normal));
    }
  }
}

std::string SourceTree::Absolute(const std::string& path) const {
  return path.starts_with('/') ? path : root_ + "/" + path;
}

int SourceTree::Find(const std::string& path) {
  auto [found, fresh] = by_path_.try_emplace(path, -1);
  if (!fresh) return found->second;
  if (closed_) {
    auto offered = offered_.find(path);
    if (offered == offered_.end()) return -1;
    found->second = static_cast<int>(files_.size());
    files_.push_back(std::move(offered->second));
    return found->second;
  }
  struct stat status;
  if (stat(Absolute(path).c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return -1;
  SourceFile file;
  file.path = path;
  file.regular = S_ISREG(status.st_mode);
  file.stamp = StampOf(status);
  found->second = static_cast<int>(files_.size());
  files_.push_back(std::move(file));
  return found->second;
}

void SourceTree::CloseTo(std::vector<SourceFile> files) {
  closed_ = true;
  for (SourceFile& file : files) {
    std::string path = file.path;
    offered_.insert_or_assign(std::move(path), std::move(file));
  }
}

void SourceTree::Restore(std::vector<SourceFile> files) {
  closed_ = true;
  files_ = std::move(files);
  for (int file = 0; file < static_cast<int>(files_.size()); ++file) {
    by_path_[files_[file].path] = file;
  }
}

int SourceTree::Known(const std::string& path) const {
  auto found = by_path_.find(path);
  return found == by_path_.end() ? -1 : found->second;
}

int SourceTree::Resolve(int includer, const Include& include) {
  if (include.computed || include.target.empty()) return -1;
  if (include.target.starts_with('/')) return Find(NormalPath(include.target));
  if (!include.angled) {
    const std::string& from = files_[includer].path;
    std::size_t slash = from.rfind('/');
    std::string folder = slash == std::string::npos ? "" : from.substr(0, slash + 1);
    if (int found = Find(NormalPath(folder + include.target)); found >= 0) return found;
  }
  auto [known, fresh] = by_target_.try_emplace(include.target, -1);
  if (!fresh) return known->second;
  for (const std::string& directory : include_directories_) {
    std::string path = directory.empty() ? include.target : directory + "/" + include.target;
    int found = Find(NormalPath(path));
    if (found >= 0) return by_target_[include.target] = found;
  }
  return -1;
}

std::optional<std::vector<std::string>> SourceTree::SearchedFolders(
    bool is_ignored(std::string_view)) const {
  std::unordered_set<std::string_view> folders;
  for (const auto& [path, file] : by_path_) {
    std::size_t slash = path.rfind('/');
    std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    if (is_ignored(std::string_view(path).substr(name))) return std::nullopt;
    folders.insert(
        std::string_view(path).substr(0, name == 0 ? 0 : std::max<std::size_t>(slash, 1)));
  }
  std::vector<std::string> sorted(folders.begin(), folders.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::optional<std::string> ReadSource(const std::string& absolute_path) {
  int file = open(absolute_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat status;
  std::string bytes;
  bool ok = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= (1 << 30);
  std::size_t done = 0;
  if (ok) bytes.resize(static_cast<std::size_t>(status.st_size) + 1);
  if (!ok) errno = EFBIG;
  // To its end, which one more read finds, whatever size it claimed.
  for (ssize_t got = 1; ok && got != 0;) {
    if (done == bytes.size()) bytes.resize(2 * bytes.size());
    got = read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    ok = got >= 0 && done <= (1U << 30);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  const int error = errno;
  close(file);
  errno = error;
  if (!ok) return std::nullopt;
  return bytes;  // std::string keeps a NUL behind the last byte
}

}  // namespace opledger::scan
