// A folder's own time of change moves whenever a name comes or goes, also when an editor writes a
// file beside and renames it; only then is the folder listed and compared by its digest.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/directory_state.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace opledger::scan {
namespace {

struct Listing {
  Digest digest;
  bool links = false;  // what a symbolic link leads to may change elsewhere
};

Listing List(const std::string& absolute_path) {
  Listing listing;
  DIR* open = opendir(absolute_path.c_str());
  if (open == nullptr) return listing;
  std::vector<std::string> names;
  for (errno = 0; const dirent* entry = readdir(open); errno = 0) {
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    unsigned char type = entry->d_type;
    struct stat status;
    if (type == DT_LNK || type == DT_UNKNOWN) {
      listing.links = true;
      bool there = stat((absolute_path + "/" + name).c_str(), &status) == 0;
      type = there && S_ISDIR(status.st_mode) ? DT_DIR : there ? DT_REG : DT_UNKNOWN;
    }
    if (type != DT_DIR && IsIgnoredName(name)) continue;
    names.push_back(name + '\0' + static_cast<char>(type));
  }
  listing.links = listing.links || errno != 0;  // what is not known may change
  closedir(open);
  std::sort(names.begin(), names.end());
  DigestBuilder builder;
  for (const std::string& name : names) builder.Add(name);
  listing.digest = builder.Finish();
  return listing;
}

}  // namespace

bool IsIgnoredName(std::string_view name) { return name.starts_with('.') || name.ends_with('~'); }

DirectoryState StateOf(const SourceTree& tree, std::string path) {
  DirectoryState state;
  const std::string absolute = tree.Absolute(path);
  state.path = std::move(path);
  state.stamp = StampOf(absolute);
  if (state.stamp == FileStamp()) return state;
  const Listing listing = List(absolute);
  state.listing = listing.digest;
  if (listing.links) state.stamp = {};
  return state;
}

DirectoryStatus Revalidate(const SourceTree& tree, std::int64_t taken, DirectoryState& state) {
  const std::string absolute = tree.Absolute(state.path);
  const FileStamp now = StampOf(absolute);
  if (state.listing == Digest()) {  // it did not exist
    return now == FileStamp() ? DirectoryStatus::kUnchanged : DirectoryStatus::kChanged;
  }
  bool racy = std::max(now.changed, now.modified) > taken - kRacyNanoseconds;
  if (now == state.stamp && !racy) return DirectoryStatus::kUnchanged;
  const Listing listing = List(absolute);
  if (listing.digest != state.listing) return DirectoryStatus::kChanged;
  if (listing.links) return DirectoryStatus::kUnchanged;  // to be listed every time
  state.stamp = now;
  return DirectoryStatus::kListed;
}

}  // namespace opledger::scan
