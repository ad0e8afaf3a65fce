// A submodule's repository is .git in its folder, or the folder that this file names, below
// .git/modules of the enclosing repository.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/submodules.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "checker/git/git_output.h"
#include "checker/project/checked_lists.h"
#include "checker/terminal/shell_quote.h"
#include "registry/dialect/dialect.h"
#include "registry/platform/run_git.h"
#include "registry/project/contained_path.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMostSubmodules = 1000;  // in one state

Submodule::Place PlaceOf(const Source& source, const std::string& path) {
  if (!source.Holds(path)) return Submodule::Place::kGone;
  if (IsRepository(source, path)) return Submodule::Place::kCheckedOut;
  std::vector<FolderEntry> entries;
  const bool empty = source.List(path, entries) == 0 && entries.empty();
  return empty ? Submodule::Place::kEmpty : Submodule::Place::kGone;
}

// Returns the output of git in a folder, or "" if it fails.
std::string Ask(const std::string& folder, const std::vector<std::string>& arguments) {
  std::string output;
  Diagnostics ignored;
  return RunGit(folder, arguments, "", output, ignored) == 0 ? output : std::string();
}

// Returns the output of git for the repository `git_dir`, or "" if it fails.
std::string AskOf(const std::string& git_dir, const std::vector<std::string>& arguments) {
  std::string output;
  Diagnostics ignored;
  return RunGitOf(git_dir, arguments, output, ignored) == 0 ? output : std::string();
}

using AskGit = std::function<std::string(const std::vector<std::string>&)>;

// Returns the name of the submodule at `path`, relative to the top, from .gitmodules of `tree`.
std::string NameOf(const AskGit& ask, const std::string& tree, const std::string& path) {
  const std::string file = tree + ":.gitmodules";
  if (ask({"rev-parse", "--verify", "--quiet", file}).empty()) return {};
  const std::string records =
      ask({"config", "-z", "--blob", file, "--get-regexp", "^submodule\\..*\\.path$"});
  for (const std::string_view record : SplitAt(records, '\0')) {
    const std::size_t line = record.find('\n');  // "submodule.NAME.path\nPATH"
    constexpr std::size_t kBefore = sizeof "submodule." - 1;
    constexpr std::size_t kAround = sizeof "submodule..path" - 1;
    if (line == std::string_view::npos || line <= kAround || record.substr(line + 1) != path) {
      continue;
    }
    std::string name(record.substr(kBefore, line - kAround));
    if (StaysBelow(name)) return name;
  }
  return {};
}

// The folders where git keeps the repositories of submodules, and the path of `folder` relative to
// the top.
struct KeptModules {
  std::vector<std::string> folders;
  std::string prefix;

  explicit KeptModules(const std::string& folder) {
    const std::string lines =
        Ask(folder, {"rev-parse", "--git-path", "modules", "--git-common-dir", "--show-prefix"});
    const std::vector<std::string_view> said = SplitAt(lines, '\n');
    if (said.size() < 3) return;
    folders = {std::string(said[0]), std::string(said[1]) + "/modules"};
    prefix = said[2];
  }
};

class Adder {
 public:
  Adder(const std::string& folder, TreeListing& listing, const TreeListing& known)
      : disk_(DiskSource(folder)), listing_(listing), known_(known) {
    for (const TreeFile& file : known.files) {
      if (file.submodule >= 0) known_files_[file.submodule].push_back(&file);
    }
  }

  void AddAll() {
    if (listing_.submodules.empty()) return;
    for (std::size_t i = 0; i < listing_.submodules.size() && i < kMostSubmodules; ++i) {
      listing_.submodules[i].place = PlaceOf(disk_, listing_.submodules[i].path);
      if (!AddKnown(static_cast<int>(i))) AddFromGit(static_cast<int>(i));
    }
    std::sort(listing_.files.begin(), listing_.files.end(),
              [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  }

 private:
  bool AddKnown(int index) {
    Submodule& each = listing_.submodules[index];
    const auto key = [](const Submodule& one) { return std::tie(one.path, one.commit, one.place); };
    const auto found = std::find_if(
        known_.submodules.begin(), known_.submodules.end(),
        [&](const Submodule& one) { return key(one) == key(each) && !one.git_dir.empty(); });
    if (found == known_.submodules.end()) return false;
    each.git_dir = found->git_dir;
    const int known = static_cast<int>(found - known_.submodules.begin());
    for (const TreeFile* const file : known_files_[known]) {
      listing_.files.push_back({file->path, file->id, file->is_link, index});
    }
    for (const Submodule& nested : known_.submodules) {
      if (nested.parent == known) {
        listing_.submodules.push_back({nested.path, nested.commit, "", index});
      }
    }
    return true;
  }

  void AddFromGit(int index) {
    const Submodule each = listing_.submodules[index];
    const std::vector<std::string> places =
        each.place == Submodule::Place::kCheckedOut
            ? std::vector<std::string>{GitDirectoryOf(disk_.Absolute(each.path))}
        : each.place == Submodule::Place::kGone ? KeptGitDirs(each)
                                                : std::vector<std::string>();
    for (const std::string& git_dir : places) {
      if (git_dir.empty()) continue;
      if (AskOf(git_dir, {"rev-parse", "--verify", "--quiet", each.commit + "^{tree}"}).empty()) {
        continue;
      }
      Diagnostics ignored;
      auto listing = ListFilesOf(git_dir, {"ls-tree", "-r", "-z", each.commit}, ignored);
      if (!listing) return;
      listing_.submodules[index].git_dir = git_dir;
      for (TreeFile& file : listing->files) {
        listing_.files.push_back(
            {each.path + '/' + file.path, std::move(file.id), file.is_link, index});
      }
      for (const Submodule& nested : listing->submodules) {
        listing_.submodules.push_back({each.path + '/' + nested.path, nested.commit, "", index});
      }
      return;
    }
  }

  std::vector<std::string> KeptGitDirs(const Submodule& each) {
    std::vector<std::string> places;
    if (each.parent >= 0) {
      const Submodule& parent = listing_.submodules[each.parent];
      const auto ask = [&](const auto& arguments) { return AskOf(parent.git_dir, arguments); };
      const std::string name = NameOf(ask, parent.commit, each.path.substr(parent.path.size() + 1));
      if (!name.empty()) places.push_back(parent.git_dir + "/modules/" + name);
    } else {
      if (!kept_) kept_.emplace(disk_.root());
      const auto ask = [&](const auto& arguments) { return Ask(disk_.root(), arguments); };
      const std::string name = NameOf(ask, listing_.tree, kept_->prefix + each.path);
      for (const std::string& folder : kept_->folders) {
        if (!name.empty()) places.push_back(disk_.Absolute(folder) + '/' + name);
      }
    }
    std::erase_if(places, [&](const std::string& place) {
      return disk_.Examine(place).kind == PathKind::kAbsent;
    });
    return places;
  }

  Source disk_;
  TreeListing& listing_;
  const TreeListing& known_;
  std::map<int, std::vector<const TreeFile*>> known_files_;
  std::optional<KeptModules> kept_;
};

const Submodule* At(const std::vector<Submodule>& submodules, const std::string& path) {
  const auto found = std::find_if(submodules.begin(), submodules.end(),
                                  [&](const Submodule& each) { return each.path == path; });
  return found == submodules.end() ? nullptr : &*found;
}

// Decides whether the project reads operators in a folder.
class SourceFolders {
 public:
  SourceFolders(const CheckOptions& options, const CheckedProject& checked) {
    const std::optional<ProjectFile>& file = checked.project->file();
    dialect_ = DialectOf(options, *checked.project, *checked.manifest);
    if (!dialect_) return;
    globs_ = file && !file->sources.empty() ? file->sources : dialect_->sources;
    for (const DataFile& data : dialect_->data) globs_.push_back(data.path);
  }

  bool MayLieIn(const std::string& folder) const {
    return !dialect_ || std::any_of(globs_.begin(), globs_.end(), [&](const std::string& glob) {
      return GlobMayMatchBelow(glob, folder);
    });
  }

 private:
  std::optional<Dialect> dialect_;  // nullopt: cannot be read
  std::vector<std::string> globs_;
};

std::string Remedy(const Submodule& each) {
  const std::string path = ShellQuote(each.path).value_or("PATH");
  return each.place == Submodule::Place::kCheckedOut
             ? "`git -C " + path + " fetch origin " + each.commit + '`'
             : "`git submodule update --init --recursive" + (each.parent < 0 ? ' ' + path : "") +
                   '`';
}

Incomplete Unseen(const Submodule& each, const std::string& state) {
  return {{each.path, 0, 0, 0, 0},
          "submodule",
          "its commit " + each.commit.substr(0, 12) + state +
              " is missing, so it is not known what is new in it: " + Remedy(each)};
}

}  // namespace

void AddSubmodules(const std::string& folder, TreeListing& listing, const TreeListing& known) {
  Adder(folder, listing, known).AddAll();
}

std::vector<Submodule> SubmodulesOfWorkTree(const std::string& folder,
                                            const std::vector<Submodule>& base) {
  const Source disk = DiskSource(folder);
  const bool nested = std::any_of(base.begin(), base.end(), [](const Submodule& each) {
    return each.parent >= 0 && each.git_dir.empty();
  });
  if (base.empty() && disk.Examine(".gitmodules").kind == PathKind::kAbsent) return {};
  const std::vector<std::string> arguments = {"ls-files", "--stage", "-z"};
  Diagnostics ignored;
  std::vector<Submodule> all =
      ListFiles(folder, arguments, ignored).value_or(GitListing()).submodules;
  for (std::size_t i = 0; i < all.size() && i < kMostSubmodules; ++i) {
    all[i].place = PlaceOf(disk, all[i].path);
    if (all[i].place != Submodule::Place::kCheckedOut) continue;
    all[i].git_dir = GitDirectoryOf(disk.Absolute(all[i].path));
    if (!nested || all[i].git_dir.empty()) continue;
    const std::string path = all[i].path;
    const auto listing = ListFilesOf(all[i].git_dir, arguments, ignored).value_or(GitListing());
    for (const Submodule& each : listing.submodules) {
      all.push_back({path + '/' + each.path, each.commit, "", static_cast<int>(i)});
    }
  }
  std::erase_if(all, [](const Submodule& each) { return each.place == Submodule::Place::kGone; });
  return all;
}

std::vector<Incomplete> FindUnseen(const std::vector<Submodule>& base,
                                   const std::vector<Submodule>& now, const std::string& revision,
                                   const CheckOptions& options, const CheckedProject& checked) {
  std::vector<Incomplete> unseen;
  const Source disk = DiskSource(checked.project->root());
  const auto differs = [](const Submodule& each, const Submodule* other) {
    return each.git_dir.empty() &&
           (other == nullptr || !other->git_dir.empty() || other->commit != each.commit);
  };
  for (const Submodule& each : base) {
    const Submodule* const today = At(now, each.path);
    const bool is_gone = today == nullptr && disk.Examine(each.path).kind == PathKind::kAbsent;
    if (differs(each, today) && !is_gone) unseen.push_back(Unseen(each, " in '" + revision + "'"));
  }
  for (const Submodule& each : now) {
    const bool told = IsUnseen(unseen, each.path + '/');
    if (!told && differs(each, At(base, each.path))) unseen.push_back(Unseen(each, ""));
  }
  if (unseen.empty()) return unseen;
  const SourceFolders sources(options, checked);
  std::erase_if(unseen,
                [&](const Incomplete& each) { return !sources.MayLieIn(each.location.path); });
  return unseen;
}

bool IsUnseen(const std::vector<Incomplete>& unseen, const std::string& path) {
  return std::any_of(unseen.begin(), unseen.end(), [&](const Incomplete& each) {
    return path.starts_with(each.location.path + '/');
  });
}

}  // namespace opledger
