// Packs are only appended to or removed as a whole, so mapped memory stays valid.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/cache/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <utility>

#include "llvm/Support/MemoryBuffer.h"
#include "registry/files/file_lock.h"
#include "registry/files/files.h"
#include "registry/files/list_folder.h"
#include "registry/files/open_file.h"
#include "registry/scan/cache/cache_pack.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxPacks = 8;
constexpr std::size_t kLargePacks = std::size_t{256} << 20;
constexpr std::size_t kMaxUnsavedBytes = std::size_t{256} << 10;
constexpr std::chrono::seconds kUnsavedTime{2};

// Returns a unique name, since runs do not share packs.
std::string NewPackName() {
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  DigestBuilder name;
  name.Add(std::to_string(now)).Add(std::to_string(getpid()));
  return name.Finish().Hex() + ".pack";
}

// Returns whether no run writes to the pack any more. Without file locks, returns whether the pack
// is too old for a run to still be writing to it.
bool IsFinished(int file, const struct stat& status) {
  constexpr std::time_t kLongestRun = 24 * 60 * 60;  // seconds
  const Locked locked = TryToLock(file);
  return locked == Locked::kYes || (locked == Locked::kUnsupported &&
                                    status.st_mtim.tv_sec < std::time(nullptr) - kLongestRun);
}

}  // namespace

Cache::Cache(std::string folder) : folder_(std::move(folder)) {}

Cache::~Cache() {
  if (pack_ >= 0) close(pack_);
}

void Cache::LoadPacks() {
  if (folder_.empty() || std::exchange(loaded_, true)) return;
  for (const std::string& name : NamesIn(folder_).names) {
    const std::string path = folder_ + '/' + name;
    std::error_code error;
    if (!name.ends_with(".pack") || !std::filesystem::is_regular_file(path, error)) continue;
    auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
    if (buffer) packs_.push_back({path, std::move(*buffer)});
  }
  for (const Pack& pack : packs_) {
    ReadPack({pack.bytes->getBufferStart(), pack.bytes->getBufferSize()},
             [&](const Digest& key, std::string_view sealed) { entries_[key] = sealed; });
  }
}

std::optional<std::string_view> Cache::Get(const Digest& key) {
  LoadPacks();
  auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  std::optional<std::string_view> payload = Unseal(key, found->second);
  if (payload) {
    used_.insert(key);
  } else {
    entries_.erase(found);
  }
  return payload;
}

void Cache::Put(const Digest& key, std::string_view bytes) {
  if (folder_.empty() || broken_) return;
  AppendEntry(unsaved_, key, bytes);
  if (unsaved_.size() > kMaxUnsavedBytes ||
      std::chrono::steady_clock::now() - saved_ > kUnsavedTime) {
    Save();
  }
}

void Cache::OpenPack() {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  RemoveStaleFiles(folder_);
  pack_ = OpenNew(folder_ + "/" + NewPackName(), 0644);
  // The lock keeps other runs from merging this pack and removing it.
  const Locked locked = pack_ < 0 ? Locked::kFailed : TryToLock(pack_);
  broken_ = locked == Locked::kFailed || locked == Locked::kBusy || !WriteAll(pack_, kPackMagic);
}

void Cache::Save() {
  saved_ = std::chrono::steady_clock::now();
  if (unsaved_.empty()) return;
  if (pack_ < 0 && !broken_) OpenPack();
  // Nothing may follow an incomplete entry.
  broken_ = broken_ || !WriteAll(pack_, unsaved_);
  unsaved_.clear();
}

bool Cache::WriteEntries(OutputSink& file, bool used_only) {
  std::string bytes(kPackMagic);
  for (const auto& [key, sealed] : entries_) {
    if (used_only && !used_.contains(key)) continue;
    std::optional<std::string_view> payload = Unseal(key, sealed);
    if (!payload) continue;
    AppendEntry(bytes, key, *payload);
    if (!file.Write(bytes)) return false;
    bytes.clear();
  }
  return file.Write(bytes);
}

void Cache::Merge() {
  std::vector<int> locks;
  std::vector<const Pack*> finished;  // not being written to, and unchanged since they were read
  std::size_t size = 0;
  for (const Pack& pack : packs_) {
    size += pack.bytes->getBufferSize();
    int file = OpenInput(pack.path, Links::kRefuse);
    if (file < 0) continue;
    locks.push_back(file);
    struct stat status;
    if (fstat(file, &status) == 0 && IsFinished(file, status) &&
        static_cast<std::size_t>(status.st_size) == pack.bytes->getBufferSize()) {
      finished.push_back(&pack);
    }
  }
  bool merged =
      finished.size() > 1 && WriteCacheFile(folder_ + "/" + NewPackName(), [&](OutputSink& file) {
        return WriteEntries(file, size > kLargePacks);
      });
  if (merged) {
    for (const Pack* pack : finished) unlink(pack->path.c_str());
  }
  for (int file : locks) close(file);
}

void Cache::Flush() {
  bool changed = pack_ >= 0 || !unsaved_.empty();
  Save();
  if (changed && !broken_ && packs_.size() >= kMaxPacks) Merge();
}

std::string Cache::ReadIndex(const std::string& name) const {
  if (folder_.empty()) return {};
  const std::string path = folder_ + "/" + name + ".index";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
  if (!buffer) return {};
  auto bytes = Unseal(Digest(), {(*buffer)->getBufferStart(), (*buffer)->getBufferSize()});
  return std::string(bytes.value_or(""));
}

void Cache::WriteIndex(const std::string& name, std::string_view bytes) const {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  WriteCacheFile(folder_ + "/" + name + ".index",
                 [&](OutputSink& file) { return file.Write(Seal(Digest(), bytes)); });
}

}  // namespace opledger::scan
