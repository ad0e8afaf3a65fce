// A kept folder is trees/NAME-N in the cache folder, NAME of the folder whose files it holds;
// NAME-N.lock is locked while a run uses it, NAME-N.record says what it holds.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "checker/git/submodules.h"
#include "checker/git/tree_folder.h"
#include "registry/platform/files.h"
#include "registry/platform/open_file.h"
#include "registry/platform/sha256.h"
#include "registry/project/cache_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersOfOne = 4;      // kept for one folder
constexpr std::size_t kFolders = 12;  // kept for all
constexpr std::uint64_t kBytes = std::uint64_t{4} << 30U;

// The lock of a kept folder, or -1 where another run has it. Whoever removes the file holds it.
int Lock(const std::string& path) {
  const int file = open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat mine;
  struct stat named;
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &mine) == 0 &&
      stat((path + ".lock").c_str(), &named) == 0 && mine.st_ino == named.st_ino) {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

FolderRecord ReadRecord(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  const Descriptor file(OpenInput(path + ".record", Links::kRefuse));
  const auto text = file.get() < 0 ? std::nullopt : ReadToEnd(file.get(), kMostBytes);
  return ParseRecord(text.value_or(""));
}

// Removes kept folders, those used longest ago first, while they are too many or too large.
void RemoveOld(const fs::path& trees) {
  struct Old {
    fs::file_time_type used;
    std::string path;
    std::uint64_t bytes;
  };
  RemoveStaleTemporaries(trees.string());
  std::vector<Old> all;
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator(trees, error)) {
    if (each.path().extension() != ".lock") continue;
    const std::string path = (trees / each.path().stem()).string();
    all.push_back({each.last_write_time(error), path, ReadRecord(path).bytes});
    bytes += all.back().bytes;
  }
  std::sort(all.begin(), all.end(), [](const Old& a, const Old& b) { return a.used < b.used; });
  std::size_t left = all.size();
  for (const Old& old : all) {
    if (left < kFolders && bytes < kBytes) return;
    const int lock = Lock(old.path);
    if (lock < 0) continue;
    fs::remove_all(old.path, error);
    fs::remove(old.path + ".record", error);
    fs::remove(old.path + ".lock", error);
    close(lock);
    --left;
    bytes -= old.bytes;
  }
}

struct KeptFolder {
  std::string path;
  int lock = -1;
  FolderRecord record;
};

// Those of the current folder that no other run uses, locked.
class FreeFolders {
 public:
  explicit FreeFolders(const fs::path& trees) : trees_(trees) {
    std::error_code error;
    const std::string name = Sha256Hex(fs::current_path(error).string()).substr(0, 16);
    for (int i = 0; i < kFoldersOfOne; ++i) {
      const std::string path = (trees / (name + "-" + std::to_string(i))).string();
      if (!fs::exists(path + ".lock", error)) {
        if (unused_.empty()) unused_ = path;
      } else if (const int lock = Lock(path); lock >= 0) {
        free_.push_back({path, lock, ReadRecord(path)});
      }
    }
  }
  ~FreeFolders() {
    for (const KeptFolder& each : free_) close(each.lock);
  }
  FreeFolders(const FreeFolders&) = delete;
  FreeFolders& operator=(const FreeFolders&) = delete;

  // The one that was left with this tree.
  std::optional<KeptFolder> With(const std::string& tree) {
    for (KeptFolder& each : free_) {
      if (!tree.empty() && each.record.tree == tree) return Take(each);
    }
    return std::nullopt;
  }

  // The one that has most of the files, or a new one; none where other runs use all.
  std::optional<KeptFolder> For(const TreeListing& listing) {
    KeptFolder* nearest = nullptr;
    std::size_t least = 0;
    for (KeptFolder& each : free_) {
      const std::size_t missing = each.record.Missing(listing);
      if (nearest == nullptr || missing < least) {
        nearest = &each;
        least = missing;
      }
    }
    if (nearest != nullptr && (unused_.empty() || least <= listing.files.size() / 4)) {
      return Take(*nearest);
    }
    for (KeptFolder& each : free_) {
      if (each.record.files.empty()) return Take(each);
    }
    if (unused_.empty()) return std::nullopt;
    RemoveOld(trees_);
    const int lock = Lock(unused_);
    return lock < 0 ? std::nullopt : std::optional<KeptFolder>({unused_, lock, {}});
  }

 private:
  KeptFolder Take(KeptFolder& chosen) {
    futimens(chosen.lock, nullptr);  // used now
    KeptFolder taken = std::move(chosen);
    chosen = std::move(free_.back());
    free_.pop_back();
    return taken;
  }

  fs::path trees_;
  std::vector<KeptFolder> free_;
  std::string unused_;  // the name of one more
};

bool HoldKept(const TreeListing& listing, KeptFolder& kept, Diagnostics& diagnostics) {
  std::error_code error;
  fs::create_directory(kept.path, error);
  const std::string before = SerializeRecord(kept.record);
  if (!HoldFiles(kept.path, listing, kept.record, diagnostics)) return false;
  const std::string after = SerializeRecord(kept.record);
  if (before == after) return true;
  // A damaged or missing one costs the next run time and nothing else.
  WriteCacheFile(kept.path + ".record", [&](OutputSink& out) { return out.Write(after); });
  return true;
}

}  // namespace

RevisionFolder::~RevisionFolder() { Leave(); }

RevisionFolder::RevisionFolder(RevisionFolder&& other) noexcept { *this = std::move(other); }

RevisionFolder& RevisionFolder::operator=(RevisionFolder&& other) noexcept {
  if (this == &other) return *this;
  Leave();
  path_ = std::exchange(other.path_, {});
  submodules_ = std::move(other.submodules_);
  lock_ = std::exchange(other.lock_, -1);
  temporary_ = std::move(other.temporary_);
  return *this;
}

void RevisionFolder::Leave() {
  if (lock_ >= 0) close(std::exchange(lock_, -1));
  temporary_.reset();
  path_.clear();
  submodules_.clear();
}

bool RevisionFolder::TakeTemporary(Diagnostics& diagnostics) {
  Leave();
  temporary_ = std::make_unique<TemporaryFolder>();
  path_ = temporary_->path();
  if (!path_.empty()) return true;
  return diagnostics.Error({}, "cannot make a temporary folder", "set TMPDIR to a writable folder");
}

bool RevisionFolder::TakeKept(const std::string& tree, const std::string& what,
                              const ListFiles& list, Diagnostics& diagnostics) {
  const std::string cache = FindCacheFolder().path;
  std::error_code error;
  const fs::path trees = fs::path(cache) / "trees";
  if (cache.empty()) return false;
  fs::create_directories(trees, error);
  FreeFolders free(trees);
  std::optional<KeptFolder> kept = free.With(tree);
  TreeListing listing;
  if (kept && AreAsListed(kept->record.submodules)) {
    listing.tree = tree;
    listing.name = what;
    listing.submodules = kept->record.submodules;
    for (const FolderRecord::File& file : kept->record.files) {
      listing.files.push_back({file.path, file.id, file.is_link, file.submodule});
    }
  } else {
    std::optional<TreeListing> read = list();
    if (!read) {
      if (kept) close(kept->lock);
      return false;
    }
    listing = std::move(*read);
    if (!kept) kept = free.For(listing);
    if (kept) AddSubmodules(listing, kept->record);
  }
  if (!kept) return false;
  if (!HoldKept(listing, *kept, diagnostics)) {
    close(kept->lock);
    return false;
  }
  lock_ = kept->lock;
  path_ = kept->path;
  submodules_ = std::move(listing.submodules);
  return true;
}

bool RevisionFolder::Take(const std::string& tree, const std::string& what, const ListFiles& list,
                          bool keep, Diagnostics& diagnostics) {
  if (keep && TakeKept(tree, what, list, diagnostics)) return true;
  if (diagnostics.has_errors() || !TakeTemporary(diagnostics)) return false;
  std::optional<TreeListing> listing = list();
  if (!listing) return false;
  FolderRecord none;
  AddSubmodules(*listing, none);
  submodules_ = listing->submodules;
  if (HoldFiles(path_, *listing, none, diagnostics)) return true;
  if (diagnostics.has_errors()) return false;
  return diagnostics.Error({}, "cannot extract the files of " + what + " from git",
                           "is the disk full?");
}

bool RevisionFolder::TakeRevision(const std::string& revision, bool keep,
                                  Diagnostics& diagnostics) {
  const std::optional<std::string> tree = FindTree(revision, diagnostics);
  return tree && Take(
                     *tree, "'" + revision + "'",
                     [&] { return ListTree(*tree, revision, diagnostics); }, keep, diagnostics);
}

bool RevisionFolder::TakeStaged(bool keep, Diagnostics& diagnostics) {
  return Take(
      "", "the index", [&] { return ListStaged(diagnostics); }, keep, diagnostics);
}

}  // namespace opledger
