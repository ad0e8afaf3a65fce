// The modification time of a folder changes when an entry is added, removed or renamed. Only then
// is the folder listed and its digest compared.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/directory_state.h"

#include <algorithm>

namespace opledger::scan {
namespace {

struct Listing {
  Digest digest;
  bool links = false;  // the target of a symbolic link may change elsewhere
};

// Returns nullopt if an entry could not be examined.
std::optional<Listing> List(const SourceTree& tree, const std::string& path) {
  Listing listing;
  std::vector<FolderEntry> entries;
  if (tree.source().List(path, entries) != 0) return std::nullopt;
  std::vector<std::string> names;
  for (const FolderEntry& entry : entries) {
    PathKind kind = entry.kind;
    if (kind == PathKind::kLink || kind == PathKind::kUnknown) {
      listing.links = true;
      kind = tree.source().Examine(path.empty() ? entry.name : path + "/" + entry.name).kind;
      if (kind == PathKind::kUnknown) return std::nullopt;
    }
    if (kind != PathKind::kFolder && IsIgnoredName(entry.name)) continue;
    names.push_back(entry.name + '\0' + static_cast<char>(kind));
  }
  std::sort(names.begin(), names.end());
  DigestBuilder builder;
  for (const std::string& name : names) builder.Add(name);
  listing.digest = builder.Finish();
  return listing;
}

}  // namespace

bool IsIgnoredName(std::string_view name) { return name.starts_with('.') || name.ends_with('~'); }

std::optional<DirectoryState> StateOf(const SourceTree& tree, std::string path) {
  DirectoryState state;
  const PathState now = tree.source().Examine(path);
  if (now.kind == PathKind::kUnknown) return std::nullopt;
  state.path = std::move(path);
  if (now.kind != PathKind::kFolder) return state;
  state.stamp = now.stamp;
  const std::optional<Listing> listing = List(tree, state.path);
  if (!listing) return std::nullopt;
  state.listing = listing->digest;
  if (listing->links) state.stamp = {};
  return state;
}

DirectoryStatus Revalidate(const SourceTree& tree, std::int64_t taken, DirectoryState& state) {
  const PathState now = tree.source().Examine(state.path);
  if (now.kind == PathKind::kUnknown) return DirectoryStatus::kChanged;
  const bool is_folder = now.kind == PathKind::kFolder;
  if (state.listing == Digest()) {  // the folder did not exist
    return is_folder ? DirectoryStatus::kChanged : DirectoryStatus::kUnchanged;
  }
  if (!is_folder) return DirectoryStatus::kChanged;
  bool racy = std::max(now.stamp.changed, now.stamp.modified) > taken - kRacyNanoseconds;
  if (now.stamp == state.stamp && !racy) return DirectoryStatus::kUnchanged;
  const std::optional<Listing> listing = List(tree, state.path);
  if (!listing || listing->digest != state.listing) return DirectoryStatus::kChanged;
  if (listing->links) return DirectoryStatus::kUnchanged;  // must be listed every time
  state.stamp = now.stamp;
  return DirectoryStatus::kListed;
}

}  // namespace opledger::scan
