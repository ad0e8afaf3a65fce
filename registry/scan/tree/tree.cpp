// Every path is looked up on disk at most once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_set>

#include "registry/platform/files.h"
#include "registry/platform/open_file.h"

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

std::vector<std::string> SourceTree::Readable() const {
  std::vector<std::string> folders = {root_};
  for (const std::string& directory : include_directories_) {
    if (directory.starts_with('/')) folders.push_back(directory);
  }
  return folders;
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
  if (include.target.starts_with('/')) {
    const std::string target = NormalPath(include.target);
    const int found = Find(target);
    const std::vector<std::string> folders = Readable();
    const bool inside = std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
      return target.starts_with(folder + "/");
    });
    // What lies elsewhere is nobody's header. A pipe or a device there is told.
    return inside || (found >= 0 && !files_[found].regular) ? found : -1;
  }
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

namespace {

constexpr std::size_t kLargestSource = std::size_t{1} << 30;

std::optional<std::string> ReadOpened(int opened) {
  const Descriptor file(opened);
  if (file.get() < 0) return std::nullopt;
  std::optional<std::string> text = ReadToEnd(file.get(), kLargestSource);
  if (!text && errno == EINVAL) errno = EFBIG;
  return text;  // std::string keeps a NUL behind the last byte
}

}  // namespace

std::optional<std::string> ReadSource(const std::string& absolute_path) {
  return ReadOpened(OpenInput(absolute_path));
}

std::optional<std::string> ReadSource(const SourceTree& tree, const std::string& path) {
  return ReadOpened(path.starts_with('/') ? OpenInput(path) : OpenInputBelow(tree.root(), path));
}

std::string WhyUnread(int error) {
  if (error == EXDEV) return "leads to a file outside the root, which was not read";
  return std::string("cannot be read: ") + std::strerror(error);
}

}  // namespace opledger::scan
