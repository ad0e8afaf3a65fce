// A walk over the tree that leaves folders early when no source glob can match below them.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/file_list.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

// Whether the file is, or lies below, `path`; "" is the root.
bool LiesIn(const std::string& file, const std::string& path) {
  return path.empty() || file == path || file.starts_with(path + "/");
}

class Walk {
 public:
  Walk(const std::string& root, const Dialect& dialect) : root_(root), dialect_(dialect) {}

  // Every file below `folder` with a unit's extension. Linked folders inside the root count where
  // they are not read at their own place.
  void Folder(const std::string& folder, bool only_sources, std::set<std::string>& found) {
    DIR* open = opendir(folder.empty() ? root_.c_str() : (root_ + "/" + folder).c_str());
    if (open == nullptr) {
      unread_[folder] = std::string("cannot be read: ") + std::strerror(errno);
      return;
    }
    if (only_sources) folders_.push_back(folder);
    for (errno = 0; const dirent* entry = readdir(open); errno = 0) {
      std::string name = entry->d_name;
      if (name == "." || name == ".." || name == ".git") continue;
      std::string path = folder.empty() ? name : folder + "/" + name;
      unsigned char type = entry->d_type;
      if (type == DT_UNKNOWN) type = TypeOf(path);
      if (type == DT_LNK && (!only_sources || MayHoldSources(path)) && Link(path, only_sources)) {
        continue;
      }
      if (type == DT_DIR) {
        if (!only_sources || MayHoldSources(path)) Folder(path, only_sources, found);
      } else if (HasExtension(name) && (!only_sources || IsSource(path))) {
        found.insert(path);
      } else if (DataFileAt(dialect_, path) != nullptr) {
        found.insert(path);
      }
    }
    if (errno != 0) {
      unread_[folder] = std::string("cannot be read to its end: ") + std::strerror(errno);
    }
    closedir(open);
  }

  // The linked folders that were seen, in the order of their names.
  void Linked(bool only_sources, std::set<std::string>& found) {
    while (!waiting_.empty()) {
      const auto [path, inside] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      if (linked_.insert(inside).second) Folder(path, only_sources, found);
    }
  }

  std::map<std::string, std::string> TakeUnread() { return std::move(unread_); }
  std::vector<std::string> TakeFolders() { return std::move(folders_); }

  bool IsSource(const std::string& path) const {
    return GlobMatchAny(dialect_.sources, path) && !GlobMatchAny(dialect_.exclude, path);
  }

 private:
  // Whether the link is one of a folder, or of nothing that may have been one.
  bool Link(const std::string& path, bool only_sources) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(root_ + "/" + path, error);
    const bool excluded =
        GlobMatchAny(dialect_.exclude, path) || GlobMatchAny(dialect_.exclude, path + "/a");
    if (error) {
      const bool folder = path.find('.', path.rfind('/') + 1) == std::string::npos;
      if (folder && !excluded) unread_[path] = "is a broken link";
      return folder;
    }
    if (!std::filesystem::is_directory(real, error)) return false;
    if (root_real_.empty()) root_real_ = std::filesystem::canonical(root_, error).string();
    const std::string target = real.string();
    if (target == root_real_ || excluded) return true;
    if (!target.starts_with(root_real_ + "/")) {
      unread_[path] = "leads to a folder outside the root, which was not read";
      return true;
    }
    const std::string inside = target.substr(root_real_.size() + 1);
    const bool read_there = !only_sources || IsSource(inside + "/a.cc") || IsBelow(path, inside);
    if (!read_there) waiting_.insert({path, inside});
    return true;
  }

  // A folder that holds the link itself would be read without end.
  static bool IsBelow(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
  }

  unsigned char TypeOf(const std::string& path) const {
    struct stat status;
    if (lstat((root_ + "/" + path).c_str(), &status) != 0) return DT_UNKNOWN;
    return S_ISDIR(status.st_mode) ? DT_DIR : S_ISLNK(status.st_mode) ? DT_LNK : DT_REG;
  }

  bool HasExtension(const std::string& name) const {
    return std::any_of(dialect_.extensions.begin(), dialect_.extensions.end(),
                       [&](const std::string& extension) { return name.ends_with(extension); });
  }

  bool MayHoldSources(const std::string& folder) const {
    auto leads = [&](const std::string& glob) { return GlobMayMatchBelow(glob, folder); };
    return std::any_of(dialect_.sources.begin(), dialect_.sources.end(), leads) ||
           std::any_of(dialect_.data.begin(), dialect_.data.end(),
                       [&](const DataFile& data) { return leads(data.path); });
  }

  const std::string& root_;
  const Dialect& dialect_;
  std::vector<std::string> folders_;
  std::string root_real_;
  std::set<std::string> linked_;  // folders that were read by a link, by real path
  std::set<std::pair<std::string, std::string>> waiting_;  // links and their real paths
  std::map<std::string, std::string> unread_;
};

}  // namespace

UnitList ListUnits(const std::string& root, const std::vector<std::string>& paths,
                   const Dialect& dialect, Diagnostics& diagnostics) {
  Walk walk(root, dialect);
  UnitList list;
  std::set<std::string>& units = list.units;
  walk.Folder("", true, units);
  walk.Linked(true, units);
  const std::size_t of_sources = units.size();
  for (const std::string& path : paths) {
    struct stat status;
    if (stat((root + "/" + path).c_str(), &status) != 0) {
      diagnostics.Error({path}, "no such file or folder");
    } else if (!S_ISDIR(status.st_mode)) {
      units.insert(path);
    } else if (std::none_of(units.begin(), units.end(),
                            [&](const std::string& unit) { return LiesIn(unit, path); })) {
      walk.Folder(path, false, units);
      walk.Linked(false, units);
    }
  }
  list.folders = walk.TakeFolders();
  list.unread = walk.TakeUnread();
  list.extended = units.size() > of_sources;
  return list;
}

std::map<std::string, Defines> ChooseUnits(const std::map<std::string, Defines>& listed,
                                           const std::string& root,
                                           const std::vector<std::string>& paths,
                                           const Dialect& dialect,
                                           std::vector<std::string>& missing) {
  Walk walk(root, dialect);
  std::map<std::string, Defines> inside;
  std::map<std::string, Defines> units;
  for (const auto& [path, defines] : listed) {
    if (!path.starts_with(root + "/")) continue;
    std::string relative = path.substr(root.size() + 1);
    inside[relative] = defines;
    if (walk.IsSource(relative)) units[relative] = defines;
  }
  for (const std::string& path : paths) {
    bool holds_sources = std::any_of(units.begin(), units.end(),
                                     [&](const auto& unit) { return LiesIn(unit.first, path); });
    for (const auto& [unit, defines] : inside) {
      if (!holds_sources && LiesIn(unit, path)) units[unit] = defines;
    }
  }
  std::erase_if(units, [&](const auto& unit) {
    struct stat status;
    bool gone = stat((root + "/" + unit.first).c_str(), &status) != 0;
    if (gone) missing.push_back(unit.first);
    return gone;
  });
  return units;
}

}  // namespace opledger::scan
