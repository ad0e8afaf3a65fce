// Finds files, and the first file of a folder, by binary search in a sorted listing.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/git_tree.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "registry/source/path_parts.h"
#include "registry/source/unpack_tree.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestTarget = 4096;
// The device number of files in git, which no device has.
constexpr std::uint64_t kGitDevice = ~std::uint64_t{1};

// Returns the git directories, other than the folder's own, that hold files of the listing.
std::vector<std::string> OtherGitDirs(const TreeListing& listing) {
  std::set<int> used;
  for (const TreeFile& file : listing.files) used.insert(file.submodule);
  std::vector<std::string> others;
  for (const int each : used) {
    if (each >= 0) others.push_back(listing.submodules[each].git_dir);
  }
  return others;
}

bool IsBefore(const TreeFile& file, const std::string& path) { return file.path < path; }

}  // namespace

void Write(ByteWriter& out, const TreeListing& listing) {
  out.Text(listing.tree);
  out.Text(listing.name);
  out.Number(listing.submodules.size());
  for (const Submodule& each : listing.submodules) {
    out.Text(each.path);
    out.Text(each.commit);
    out.Text(each.git_dir);
    out.Number(static_cast<std::uint64_t>(each.parent) + 1);
    out.Number(static_cast<std::uint64_t>(each.place));
  }
  out.Number(listing.files.size());
  for (const TreeFile& file : listing.files) {
    out.Text(file.path);
    out.Text(file.id);
    out.Number(file.is_link ? 1 : 0);
    out.Number(static_cast<std::uint64_t>(file.submodule) + 1);
  }
}

TreeListing ReadListing(ByteReader& in) {
  TreeListing listing;
  listing.tree = in.Text();
  listing.name = in.Text();
  listing.submodules.resize(in.Count());
  const auto count = static_cast<int>(listing.submodules.size());
  bool consistent = true;
  for (int i = 0; i < count; ++i) {
    Submodule& each = listing.submodules[i];
    each.path = in.Text();
    each.commit = in.Text();
    each.git_dir = in.Text();
    each.parent = in.Signed();
    each.place = static_cast<Submodule::Place>(in.Number());
    consistent = consistent && each.parent < i;
  }
  listing.files.resize(in.Count());
  for (TreeFile& file : listing.files) {
    file.path = in.Text();
    file.id = in.Text();
    file.is_link = in.Number() != 0;
    file.submodule = in.Signed();
    consistent = consistent && file.submodule < count;
  }
  return consistent && in.ok() ? listing : TreeListing();
}

GitTree::GitTree(std::string folder, TreeListing listing)
    : folder_(std::move(folder)),
      listing_(std::move(listing)),
      objects_(folder_, OtherGitDirs(listing_)) {
  for (const TreeFile& file : listing_.files) {
    if (!file.is_link) continue;
    // Unreadable: a link to itself.
    links_[file.path] = objects_.Read(file.id, kLongestTarget).value_or(file.path);
  }
}

// Returns the place of a path that leads out of the tree. It is on disk, as in a checkout: it can
// be examined but not read as part of a revision. If it leads back into the working tree, it does
// not exist.
GitTree::Place GitTree::Outside(std::string path, std::vector<std::string> left,
                                bool by_link) const {
  for (; !left.empty(); left.pop_back()) path += '/' + left.back();
  if (!by_link) return {true, 0, path};
  const std::string real = disk_.Canonical(path);
  const bool back = real.empty() || real == folder_ || real.starts_with(folder_ + '/');
  return {true, 0, back ? "/dev/null/outside" : path};
}

GitTree::Place GitTree::Resolve(const std::string& path, bool follow_last) const {
  if (path != folder_ && !path.starts_with(folder_ + '/')) return {true, 0, path};
  std::vector<std::string> left;
  PushParts(path.substr(folder_.size()), left);
  std::string whole;
  for (int links = 0; !left.empty();) {
    const std::string part = std::move(left.back());
    left.pop_back();
    const bool is_dots = part == "." || part == "..";
    if (is_dots && !IsFolder(whole)) return {false, 0, whole + "/."};  // a path that does not exist
    if (part == ".") continue;
    if (part == "..") {
      if (whole.empty()) {
        return Outside(folder_ + "/..", std::move(left), links > 0);
      }
      const std::size_t slash = whole.rfind('/');
      whole.erase(slash == std::string::npos ? 0 : slash);
      continue;
    }
    if (part == ".git") {  // never part of a git tree: the repository's own folder
      const std::string here = folder_ + '/' + whole + (whole.empty() ? "" : "/");
      return Outside(here + part, std::move(left), false);
    }
    whole += (whole.empty() ? "" : "/") + part;
    const auto link = links_.find(whole);
    if (link == links_.end() || (left.empty() && !follow_last)) continue;
    if (++links > kMaximumLinks) return {false, ELOOP, whole};
    const std::string& target = link->second;
    if (target.starts_with('/')) return Outside(target, std::move(left), true);
    const std::size_t slash = whole.rfind('/');
    whole.erase(slash == std::string::npos ? 0 : slash);
    PushParts(target, left);
  }
  return {false, 0, whole};
}

const TreeFile* GitTree::Find(const std::string& path) const {
  const auto found = std::lower_bound(listing_.files.begin(), listing_.files.end(), path, IsBefore);
  return found != listing_.files.end() && found->path == path ? &*found : nullptr;
}

bool GitTree::IsFolder(const std::string& path) const {
  if (path.empty()) return true;
  const auto found =
      std::lower_bound(listing_.files.begin(), listing_.files.end(), path + '/', IsBefore);
  return found != listing_.files.end() && found->path.starts_with(path + '/');
}

PathState GitTree::StateOf(const Place& place) const {
  if (place.error != 0) return {PathKind::kUnknown, place.error, {}, 0};
  if (const TreeFile* const file = Find(place.path)) {
    const PathKind kind = file->is_link ? PathKind::kLink : PathKind::kFile;
    // Two files with equal contents are distinct.
    FileStamp stamp = StampOfText(file->id);
    return {kind, 0, stamp, kGitDevice - static_cast<std::uint64_t>(file - listing_.files.data())};
  }
  if (!IsFolder(place.path)) return {};
  std::vector<FolderEntry> entries;
  List(folder_ + '/' + place.path, entries);
  std::string names;
  for (const FolderEntry& entry : entries) {
    names += entry.name + '\0' + static_cast<char>('0' + static_cast<int>(entry.kind));
  }
  return {PathKind::kFolder, 0, StampOfText(names), kGitDevice};
}

PathState GitTree::Examine(const std::string& path) const {
  const Place place = Resolve(path, true);
  return place.outside ? disk_.Examine(place.path) : StateOf(place);
}

PathState GitTree::ExamineLink(const std::string& path) const {
  const Place place = Resolve(path, false);
  return place.outside ? disk_.ExamineLink(place.path) : StateOf(place);
}

int GitTree::List(const std::string& folder, std::vector<FolderEntry>& entries) const {
  const Place place = Resolve(folder, true);
  if (place.outside) return disk_.List(place.path, entries);
  if (place.error != 0) return place.error;
  if (!IsFolder(place.path)) return Find(place.path) != nullptr ? ENOTDIR : ENOENT;
  const std::string before = place.path.empty() ? "" : place.path + '/';
  auto file = std::lower_bound(listing_.files.begin(), listing_.files.end(), before, IsBefore);
  while (file != listing_.files.end() && file->path.starts_with(before)) {
    const std::size_t slash = file->path.find('/', before.size());
    if (slash == std::string::npos) {
      const PathKind kind = file->is_link ? PathKind::kLink : PathKind::kFile;
      entries.push_back({file->path.substr(before.size()), kind});
      ++file;
      continue;
    }
    entries.push_back({file->path.substr(before.size(), slash - before.size()), PathKind::kFolder});
    // '0' is the character after '/'.
    file =
        std::lower_bound(file, listing_.files.end(), file->path.substr(0, slash) + '0', IsBefore);
  }
  return 0;
}

std::optional<std::string> GitTree::Read(const std::string& root, const std::string& path,
                                         std::size_t maximum) const {
  const std::string absolute = path.starts_with('/') ? path : root + '/' + path;
  const Place place = Resolve(absolute, true);
  errno = EXDEV;
  const std::string inside =
      root.size() > folder_.size() ? root.substr(folder_.size() + 1) + '/' : "";
  const bool below_git = root == folder_ || root.starts_with(folder_ + '/');
  if (place.outside) {
    return below_git ? std::nullopt : disk_.Read(root, root.empty() ? place.path : path, maximum);
  }
  if (below_git && !place.path.starts_with(inside)) return std::nullopt;
  errno = place.error;
  if (place.error != 0) return std::nullopt;
  const TreeFile* const file = Find(place.path);
  errno = IsFolder(place.path) ? EINVAL : ENOENT;
  return file == nullptr ? std::nullopt : objects_.Read(file->id, maximum);
}

std::string GitTree::Canonical(const std::string& path) const {
  const Place place = Resolve(path, true);
  if (place.outside) return disk_.Canonical(place.path);
  errno = place.error;
  if (place.error != 0) return {};
  return place.path.empty() ? folder_ : folder_ + '/' + place.path;
}

void GitTree::Pack(ByteWriter& out) const {
  out.Number(static_cast<std::uint64_t>(PackedTree::kGit));
  out.Text(folder_);
  Write(out, listing_);
}

std::shared_ptr<const FileTree> GitTree::Unpack(ByteReader& in) {
  std::string folder(in.Text());
  TreeListing listing = ReadListing(in);
  if (!in.ok()) return nullptr;
  return std::make_shared<GitTree>(std::move(folder), std::move(listing));
}

}  // namespace opledger
