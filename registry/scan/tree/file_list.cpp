// Walks the tree and skips folders below which no source glob can match.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/file_list.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"

namespace opledger::scan {

bool IsOtherPython(std::string_view path) {
  static constexpr std::string_view kExtensions[] = {".ipynb", ".pyx", ".pxd", ".pyi"};
  return std::any_of(std::begin(kExtensions), std::end(kExtensions),
                     [&](std::string_view extension) { return path.ends_with(extension); });
}

namespace {

// Returns whether the file is `path` or is below it; "" is the root.
bool LiesIn(const std::string& file, const std::string& path) {
  return path.empty() || file == path || file.starts_with(path + "/");
}

std::string CannotBeExamined(int error) {
  return std::string("cannot be examined: ") + std::strerror(error);
}

class Walk {
 public:
  Walk(const Source& source, const Dialect& dialect) : source_(source), dialect_(dialect) {}

  // Finds every file below `folder` with a unit's extension. Linked folders inside the root are
  // read only if they are not read at their real place.
  void Folder(const std::string& folder, bool only_sources, std::set<std::string>& found) {
    std::vector<FolderEntry> entries;
    if (const int error = source_.List(folder, entries); error != 0) {
      unread_[folder] = std::string("cannot list the folder completely: ") + std::strerror(error);
    }
    if (only_sources) folders_.push_back(folder);
    for (const FolderEntry& entry : entries) {
      if (entry.name == ".git") continue;
      std::string path = folder.empty() ? entry.name : folder + "/" + entry.name;
      PathKind kind = entry.kind;
      if (kind == PathKind::kUnknown) {
        const PathState state = source_.ExamineLink(path);
        kind = state.kind;
        if (kind == PathKind::kUnknown) unread_[path] = CannotBeExamined(state.error);
      }
      const bool may_hold = !only_sources || MayHoldSources(path);
      if (kind == PathKind::kLink && may_hold && Link(path, only_sources)) continue;
      if (kind == PathKind::kFolder) {
        if (may_hold) Folder(path, only_sources, found);
      } else if (dialect_.HasExtension(entry.name) && (!only_sources || IsSource(path))) {
        found.insert(path);
      } else if (!DataFilesAt(dialect_, path).empty()) {
        found.insert(path);
      } else if ((entry.name.ends_with(".py") || IsOtherPython(entry.name)) &&
                 !dialect_.python.IsNone() && IsSource(path)) {
        python_.insert(path);
      } else if ((entry.name.ends_with(".yaml") || entry.name.ends_with(".yml")) &&
                 !entry.name.starts_with('.') && IsSource(path)) {
        yaml_.insert(path);
      } else if (only_sources && MayBeSource(path)) {
        unread_code_.insert(path);
      }
    }
  }

  // Reads the linked folders that were found, sorted by name.
  void Linked(bool only_sources, std::set<std::string>& found) {
    while (!waiting_.empty()) {
      const auto [path, inside] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      if (linked_.insert(inside).second) Folder(path, only_sources, found);
    }
  }

  std::map<std::string, std::string> TakeUnread() { return std::move(unread_); }
  std::set<std::string> TakePython() { return std::move(python_); }
  std::set<std::string> TakeYaml() { return std::move(yaml_); }
  std::set<std::string> TakeUnreadCode() { return std::move(unread_code_); }
  std::vector<std::string> TakeFolders() { return std::move(folders_); }

  bool IsSource(const std::string& path) const {
    return GlobMatchAny(dialect_.sources, path) && !GlobMatchAny(dialect_.exclude, path);
  }

 private:
  // Returns whether the file would be a source if it had a unit's extension.
  bool MayBeSource(const std::string& path) const {
    if (!IsTranslationUnit(path) && !IsSourceTemplate(path)) return false;
    if (GlobMatchAny(dialect_.exclude, path)) return false;
    const std::string stem = path.substr(0, path.find('.', path.rfind('/') + 1));
    return IsSource(path) ||
           std::any_of(dialect_.extensions.begin(), dialect_.extensions.end(),
                       [&](const std::string& extension) { return IsSource(stem + extension); });
  }

  // Returns whether the link leads to a folder, or is broken and may have led to one.
  bool Link(const std::string& path, bool only_sources) {
    const PathState state = source_.Examine(path);
    const bool excluded =
        GlobMatchAny(dialect_.exclude, path) || GlobMatchAny(dialect_.exclude, path + "/a");
    if (!state.IsThere()) {
      const bool unknown = state.kind == PathKind::kUnknown;
      const bool folder = path.find('.', path.rfind('/') + 1) == std::string::npos;
      if ((folder || unknown) && !excluded) {
        unread_[path] = unknown ? CannotBeExamined(state.error) : "the link is broken";
      }
      return folder;
    }
    if (state.kind != PathKind::kFolder) return false;
    if (root_real_.empty()) root_real_ = source_.Canonical("");
    const std::string target = source_.Canonical(path);
    if (target == root_real_ || excluded) return true;
    if (!target.starts_with(root_real_ + "/")) {
      unread_[path] = "the link leads to a folder outside the root, which was not read";
      return true;
    }
    const std::string inside = target.substr(root_real_.size() + 1);
    const bool read_there = !only_sources || IsSource(inside + "/a.cc") || IsBelow(path, inside);
    if (!read_there) waiting_.insert({path, inside});
    return true;
  }

  // Prevents endless reading of a folder that contains the link itself.
  static bool IsBelow(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
  }

  bool MayHoldSources(const std::string& folder) const {
    auto leads = [&](const std::string& glob) { return GlobMayMatchBelow(glob, folder); };
    return std::any_of(dialect_.sources.begin(), dialect_.sources.end(), leads) ||
           std::any_of(dialect_.data.begin(), dialect_.data.end(),
                       [&](const DataFile& data) { return leads(data.path); });
  }

  const Source& source_;
  const Dialect& dialect_;
  std::vector<std::string> folders_;
  std::set<std::string> python_;
  std::set<std::string> yaml_;
  std::set<std::string> unread_code_;
  std::string root_real_;
  std::set<std::string> linked_;  // folders read through a link, by real path
  std::set<std::pair<std::string, std::string>> waiting_;  // links and their real paths
  std::map<std::string, std::string> unread_;
};

}  // namespace

UnitList ListUnits(const Source& source, const std::vector<std::string>& paths,
                   const Dialect& dialect, Diagnostics& diagnostics) {
  Walk walk(source, dialect);
  UnitList list;
  std::set<std::string>& units = list.units;
  walk.Folder("", true, units);
  walk.Linked(true, units);
  const std::size_t of_sources = units.size();
  for (const std::string& path : paths) {
    const PathState state = source.Examine(path);
    if (!state.IsThere()) {
      ReportUnread(path, state.kind == PathKind::kUnknown ? state.error : ENOENT, 0, diagnostics);
    } else if (state.kind != PathKind::kFolder) {
      units.insert(path);
    } else if (std::none_of(units.begin(), units.end(),
                            [&](const std::string& unit) { return LiesIn(unit, path); })) {
      walk.Folder(path, false, units);
      walk.Linked(false, units);
    }
  }
  list.folders = walk.TakeFolders();
  list.python = walk.TakePython();
  list.yaml = walk.TakeYaml();
  list.unread_code = walk.TakeUnreadCode();
  list.unread = walk.TakeUnread();
  list.extended = units.size() > of_sources;
  return list;
}

ChosenUnits ChooseUnits(const std::map<std::string, CommandLine>& listed, const Source& source,
                        const std::vector<std::string>& paths, const Dialect& dialect) {
  const std::string& root = source.root();
  Walk walk(source, dialect);
  ChosenUnits chosen;
  std::map<std::string, CommandLine>& units = chosen.units;
  std::map<std::string, CommandLine> inside;
  for (const auto& [path, command] : listed) {
    const bool below = path.starts_with(root + "/");
    const std::string relative = below ? path.substr(root.size() + 1) : path;
    if (below) inside[relative] = command;
    if (below && walk.IsSource(relative)) {
      units[relative] = command;
    } else if (!GlobMatchAny(dialect.exclude, relative)) {
      chosen.outside.insert(relative);
    }
  }
  for (const std::string& path : paths) {
    bool holds_sources = std::any_of(units.begin(), units.end(),
                                     [&](const auto& unit) { return LiesIn(unit.first, path); });
    for (const auto& [unit, command] : inside) {
      if (!holds_sources && LiesIn(unit, path)) units[unit] = command;
    }
  }
  std::erase_if(units, [&](const auto& unit) {
    chosen.outside.erase(unit.first);
    const PathState state = source.Examine(unit.first);
    if (state.IsThere()) return false;
    chosen.missing[unit.first] = state.kind == PathKind::kUnknown
                                     ? CannotBeExamined(state.error)
                                     : "the file is in compile_commands.json but does not exist; "
                                       "recreate compile_commands.json if it is stale";
    return true;
  });
  return chosen;
}

}  // namespace opledger::scan
