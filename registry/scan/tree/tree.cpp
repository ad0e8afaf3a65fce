// Examines every path at most once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/tree.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_set>

#include "registry/platform/run_git.h"

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

SourceTree::SourceTree(Source source, const std::vector<std::string>& include_directories)
    : source_(std::move(source)) {
  for (const std::string& directory : include_directories) {
    std::string normal = PathInTree(directory);
    if (normal == root()) normal.clear();
    if (IsFolder(normal)) include_directories_.push_back(std::move(normal));
  }
}

bool SourceTree::IsFolder(const std::string& path) {
  const PathState state = source_.Examine(path);
  if (state.kind == PathKind::kUnknown) unexamined_[path] = state.error;
  return state.kind == PathKind::kFolder;
}

std::vector<std::string> SourceTree::Readable() const {
  std::vector<std::string> folders = {root()};
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
  const PathState state = source_.Examine(path);
  if (state.kind == PathKind::kUnknown) unexamined_[path] = state.error;
  if (!state.IsThere() || state.kind == PathKind::kFolder) return -1;
  SourceFile file;
  file.path = path;
  file.regular = state.kind == PathKind::kFile;
  file.stamp = state.stamp;
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
    const int found = Find(PathInTree(target));
    const std::vector<std::string> folders = Readable();
    const bool inside = std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
      return target.starts_with(folder + "/");
    });
    // Files elsewhere are not headers of the tree. A pipe or a device there is reported.
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

bool SourceTree::IsFile(const std::string& path) {
  const auto [known, fresh] = asked_.try_emplace(path, false);
  if (!fresh) return known->second;
  const PathState state = source_.Examine(path);
  if (state.kind == PathKind::kUnknown) unexamined_[path] = state.error;
  return known->second = state.kind == PathKind::kFile;
}

std::string SourceTree::HeaderAskedFor(int includer, const std::string& target, bool angled) {
  std::vector<std::string> candidates;
  if (target.starts_with('/')) {
    candidates = {PathInTree(target)};
  } else {
    const std::string& from = files_[includer].path;
    if (!angled) candidates.push_back(NormalPath(from.substr(0, from.rfind('/') + 1) + target));
    for (const std::string& directory : include_directories_) {
      candidates.push_back(NormalPath(directory.empty() ? target : directory + '/' + target));
    }
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const std::string& path) { return IsFile(path); });
  return found == candidates.end() ? std::string() : *found;
}

std::string SourceTree::PathInTree(const std::string& path) const {
  std::string normal = NormalPath(path);
  if (normal.starts_with(root() + "/")) normal.erase(0, root().size() + 1);
  return normal;
}

std::optional<std::vector<std::string>> SourceTree::SearchedFolders(
    bool is_ignored(std::string_view)) const {
  std::unordered_set<std::string_view> folders;
  std::vector<std::string_view> paths;
  for (const auto& [path, file] : by_path_) paths.push_back(path);
  for (const auto& [path, there] : asked_) paths.push_back(path);
  for (const std::string_view path : paths) {
    std::size_t slash = path.rfind('/');
    std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
    if (is_ignored(path.substr(name))) return std::nullopt;
    folders.insert(path.substr(0, name == 0 ? 0 : std::max<std::size_t>(slash, 1)));
  }
  std::vector<std::string> sorted(folders.begin(), folders.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

namespace {

constexpr std::size_t kLargestSource = std::size_t{1} << 30;

}  // namespace

void AddCommand(const CommandLine& command, DigestBuilder& digest) {
  for (const auto& [name, value] : command.defines) digest.Add("-D").Add(name).Add(value);
  for (const std::string& header : command.headers) digest.Add("-include").Add(header);
}

std::optional<std::string> ReadSource(const Source& source, const std::string& path) {
  return source.Read(path, kLargestSource,
                     Reach::kBelow);  // adds a NUL after the last byte
}

std::string WhyUnread(int error) {
  if (error == EXDEV) return "leads to a file outside the root, which was not read";
  if (error == ENODATA) return "is not in this partial clone, so what it registers is not known";
  return "cannot be read: " + ReadErrorText(error);
}

}  // namespace opledger::scan
