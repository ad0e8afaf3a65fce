// The folder is walked before it is used, so that an interrupted run, or anybody's edit, is seen.
// Files are written with one and the same time of modification: the scanner, which takes a file
// that was modified just now for one that may still change, then trusts their time of change.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/tree_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "registry/platform/files.h"
#include "registry/platform/sha256.h"
#include "registry/project/contained_path.h"
#include "registry/text/bytes.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// More than the scanner reads of a file. One that is larger is written as long as it is, without
// its bytes: the scan of the folder then reports it as it does in the tree.
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20U;
constexpr std::string_view kRecordVersion = "opledger-folder/2";
constexpr timespec kModified = {1, 0};
constexpr const char* kNothing = ".outside-of-the-tree";  // no file has this name

std::int64_t Nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileState StateOf(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size), Nanoseconds(status.st_mtim),
          Nanoseconds(status.st_ctim), static_cast<std::uint64_t>(status.st_ino)};
}

// What is in the folder; no link is followed.
struct Walked {
  std::unordered_map<std::string, FileState> files;  // links, too
  std::vector<std::string> links;
  std::vector<std::string> folders;  // those above before those below
};

void Walk(int parent, const std::string& name, const std::string& path, Walked& walked) {
  const int opened = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const entries = opened < 0 ? nullptr : fdopendir(opened);
  if (entries == nullptr) return;
  while (const dirent* const entry = readdir(entries)) {
    const std::string_view here = entry->d_name;
    if (here == "." || here == "..") continue;
    struct stat status;
    if (fstatat(opened, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    std::string below = path;
    below.append(path.empty() ? "" : "/").append(here);
    if (S_ISDIR(status.st_mode)) {
      walked.folders.push_back(below);
      Walk(opened, entry->d_name, below, walked);
      continue;
    }
    if (S_ISLNK(status.st_mode)) walked.links.push_back(below);
    walked.files.emplace(std::move(below), StateOf(status));
  }
  closedir(entries);
}

class Filler {
 public:
  Filler(const std::string& folder, const TreeListing& listing, FolderRecord& record)
      : folder_(folder), listing_(listing), record_(record) {
    Walk(AT_FDCWD, folder, "", walked_);
    for (const FolderRecord::File& file : record_.files) known_.emplace(file.path, &file);
  }

  bool Fill(Diagnostics& diagnostics) {
    std::vector<TreeFile> missing;
    for (const TreeFile& file : listing_.files) {
      if (!IsThere(file)) missing.push_back(file);
    }
    // A link may lead elsewhere as soon as anything else changes.
    if (!missing.empty() || walked_.files.size() > Expected()) {
      Clear(missing);
      const bool written =
          ReadBlobs(missing, listing_.submodules,
                    {[&](const TreeFile& file, std::uint64_t size) { return Begin(file, size); },
                     [&](std::string_view bytes) { return Write(bytes); }},
                    absent_, diagnostics);
      if (!End() || !written || !TellAbsent(absent_, listing_.name, diagnostics)) return false;
      MakeLinks();
      Remember();
    }
    record_.submodules = listing_.submodules;
    if (record_.files.size() == listing_.files.size()) {
      for (std::size_t i = 0; i < listing_.files.size(); ++i) {
        record_.files[i].submodule = listing_.files[i].submodule;
      }
    }
    record_.tree = absent_.empty() ? listing_.tree : std::string();  // it is not whole
    return true;
  }

 private:
  std::string Absolute(const std::string& path) const { return folder_ + "/" + path; }

  bool IsThere(const TreeFile& file) const {
    const auto known = known_.find(file.path);
    if (known == known_.end() || known->second->id != file.id) return false;
    const auto walked = walked_.files.find(file.path);
    const FileState now = walked == walked_.files.end() ? FileState() : walked->second;
    return known->second->is_link == file.is_link && known->second->state == now;
  }

  // How many files the folder has where it has those of the listing, and no other.
  std::size_t Expected() const {
    return static_cast<std::size_t>(
        std::count_if(listing_.files.begin(), listing_.files.end(),
                      [&](const TreeFile& file) { return walked_.files.contains(file.path); }));
  }

  // Removes what will be written, every link, and what is not of the listing.
  void Clear(std::vector<TreeFile>& missing) {
    std::unordered_set<std::string> kept;
    std::unordered_set<std::string> parents;
    std::unordered_set<std::string> written;
    for (const TreeFile& file : missing) written.insert(file.path);
    for (const TreeFile& file : listing_.files) {
      if (file.is_link && written.insert(file.path).second) missing.push_back(file);
      if (!written.contains(file.path)) kept.insert(file.path);
      for (std::size_t end = file.path.rfind('/'); end != std::string::npos;
           end = file.path.rfind('/', end - 1)) {
        if (!parents.insert(file.path.substr(0, end)).second || end == 0) break;
      }
    }
    for (const std::string& link : walked_.links) kept.erase(link);
    for (const auto& [path, state] : walked_.files) {
      if (!kept.contains(path)) unlink(Absolute(path).c_str());
    }
    for (auto folder = walked_.folders.rbegin(); folder != walked_.folders.rend(); ++folder) {
      if (!parents.contains(*folder)) rmdir(Absolute(*folder).c_str());
    }
  }

  bool Begin(const TreeFile& file, std::uint64_t size) {
    if (!End()) return false;
    if (file.is_link) {
      target_ = &links_[file.path];
      return size < 4096;
    }
    const std::string path = Absolute(file.path);
    const std::string parent = path.substr(0, path.rfind('/'));
    std::error_code error;
    if (made_.insert(parent).second) fs::create_directories(parent, error);
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    is_long_ = size > kLargestFile;
    return file_ >= 0 && (!is_long_ || ftruncate(file_, static_cast<off_t>(size)) == 0);
  }

  bool Write(std::string_view bytes) {
    if (target_ != nullptr) target_->append(bytes);
    return target_ != nullptr || is_long_ || WriteAll(file_, bytes);
  }

  bool End() {
    target_ = nullptr;
    if (file_ < 0) return true;
    const timespec times[2] = {kModified, kModified};
    const bool ok = futimens(file_, times) == 0;
    return close(std::exchange(file_, -1)) == 0 && ok;
  }

  // When all files are written, so that none is written through one. What leads out of the folder,
  // by itself or through others, leads to nothing instead: a source that cannot be read is told.
  void MakeLinks() {
    std::error_code ignored;
    for (const auto& [path, target] : links_) {
      fs::create_directories(fs::path(Absolute(path)).parent_path(), ignored);
      fs::create_symlink(target, Absolute(path), ignored);
    }
    for (const auto& [path, target] : links_) {
      const bool is_link = fs::is_symlink(fs::symlink_status(Absolute(path), ignored));
      if (!is_link || IsInside(Absolute(path), folder_)) continue;
      fs::remove(Absolute(path), ignored);
      fs::create_symlink(kNothing, Absolute(path), ignored);
    }
  }

  void Remember() {
    std::vector<FolderRecord::File> files;
    record_.bytes = 0;
    const std::set<std::string> absent(absent_.begin(), absent_.end());
    for (const TreeFile& file : listing_.files) {
      if (absent.contains(file.path)) continue;  // it is asked for again
      struct stat status;
      const bool there = lstat(Absolute(file.path).c_str(), &status) == 0;
      files.push_back({file.path, file.id, file.is_link, there ? StateOf(status) : FileState(),
                       file.submodule});
      record_.bytes += files.back().state.size;
    }
    record_.files = std::move(files);
  }

  const std::string& folder_;
  const TreeListing& listing_;
  FolderRecord& record_;
  Walked walked_;
  std::unordered_map<std::string, const FolderRecord::File*> known_;
  std::set<std::string> made_;                // folders
  std::map<std::string, std::string> links_;  // path -> target
  std::vector<std::string> absent_;           // files that git does not have
  std::string* target_ = nullptr;             // of the link that is being read
  int file_ = -1;                             // that is being written
  bool is_long_ = false;
};

bool IsConsistent(const FolderRecord& record) {
  const auto count = static_cast<int>(record.submodules.size());
  for (int i = 0; i < count; ++i) {
    if (record.submodules[i].parent >= i || record.submodules[i].parent < -1) return false;
  }
  return std::all_of(record.files.begin(), record.files.end(), [&](const FolderRecord::File& file) {
    return file.submodule >= -1 && file.submodule < count;
  });
}

}  // namespace

std::size_t FolderRecord::Missing(const TreeListing& listing) const {
  std::size_t missing = 0;
  auto known = files.begin();
  for (const TreeFile& file : listing.files) {
    while (known != files.end() && known->path < file.path) ++known;
    const bool same = known != files.end() && known->path == file.path && known->id == file.id;
    missing += same ? 0 : 1;
  }
  return missing;
}

std::string SerializeRecord(const FolderRecord& record) {
  ByteWriter out;
  out.Text(kRecordVersion);
  out.Text(record.tree);
  out.Number(record.bytes);
  out.Number(record.submodules.size());
  for (const Submodule& each : record.submodules) {
    out.Text(each.path);
    out.Text(each.commit);
    out.Text(each.git_dir);
    out.Number(static_cast<std::uint64_t>(each.parent) + 1);
    out.Number(static_cast<std::uint64_t>(each.place));
  }
  out.Number(record.files.size());
  for (const FolderRecord::File& file : record.files) {
    out.Text(file.path);
    out.Text(file.id);
    out.Number(file.is_link ? 1 : 0);
    out.Number(file.state.size);
    out.Number(static_cast<std::uint64_t>(file.state.modified));
    out.Number(static_cast<std::uint64_t>(file.state.changed));
    out.Number(file.state.inode);
    out.Number(static_cast<std::uint64_t>(file.submodule) + 1);
  }
  const std::string bytes = out.Take();
  return Sha256Hex(bytes) + bytes;
}

FolderRecord ParseRecord(std::string_view bytes) {
  constexpr std::size_t kDigest = 64;
  if (bytes.size() < kDigest || Sha256Hex(bytes.substr(kDigest)) != bytes.substr(0, kDigest)) {
    return {};
  }
  ByteReader in(bytes.substr(kDigest));
  if (in.Text() != kRecordVersion) return {};
  FolderRecord record;
  record.tree = in.Text();
  record.bytes = in.Number();
  record.submodules.resize(in.Count());
  for (Submodule& each : record.submodules) {
    each.path = in.Text();
    each.commit = in.Text();
    each.git_dir = in.Text();
    each.parent = static_cast<int>(in.Number()) - 1;
    each.place = static_cast<Submodule::Place>(in.Number());
  }
  record.files.resize(in.Count());
  for (FolderRecord::File& file : record.files) {
    file.path = in.Text();
    file.id = in.Text();
    file.is_link = in.Number() != 0;
    file.state.size = in.Number();
    file.state.modified = static_cast<std::int64_t>(in.Number());
    file.state.changed = static_cast<std::int64_t>(in.Number());
    file.state.inode = in.Number();
    file.submodule = static_cast<int>(in.Number()) - 1;
  }
  return in.AtEnd() && IsConsistent(record) ? record : FolderRecord();
}

bool HoldFiles(const std::string& folder, const TreeListing& listing, FolderRecord& record,
               Diagnostics& diagnostics) {
  return Filler(folder, listing, record).Fill(diagnostics);
}

}  // namespace opledger
