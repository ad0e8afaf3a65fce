// Pack file: 8 bytes magic, then entries of key (16), size (8), checksum (8), payload. All numbers
// little-endian. The checksum covers key and payload.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

namespace opledger::scan {
namespace {

constexpr std::string_view kMagic = "OPLPACK1";
constexpr std::size_t kHeader = 32;
constexpr std::size_t kManyPacks = 8;
constexpr std::size_t kLargePacks = std::size_t{256} << 20;

std::uint64_t Checksum(const Digest& key, std::string_view payload) {
  std::uint64_t first;
  std::memcpy(&first, key.bytes.data(), sizeof first);
  return llvm::xxHash64(llvm::StringRef(payload.data(), payload.size())) ^ first;
}

bool WriteBeside(const std::string& path, std::string_view bytes) {
  std::string beside = path + "." + std::to_string(getpid()) + ".tmp";
  int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  bool whole = close(file) == 0 && bytes.empty();
  if (!whole || rename(beside.c_str(), path.c_str()) != 0) {
    unlink(beside.c_str());
    return false;
  }
  return true;
}

}  // namespace

Cache::Cache(std::string folder) : folder_(std::move(folder)) { LoadPacks(); }
Cache::~Cache() = default;

void Cache::LoadPacks() {
  if (folder_.empty()) return;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".pack") pack_paths_.push_back(it->path().string());
  }
  for (const std::string& path : pack_paths_) {
    auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
    if (!buffer) continue;
    std::string_view rest((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
    loaded_bytes_ += rest.size();
    packs_.push_back(std::move(*buffer));
    if (!rest.starts_with(kMagic)) continue;
    rest.remove_prefix(kMagic.size());
    while (rest.size() >= kHeader) {
      Digest key;
      std::uint64_t size;
      std::memcpy(key.bytes.data(), rest.data(), 16);
      std::memcpy(&size, rest.data() + 16, 8);
      if (size > rest.size() - kHeader) break;
      entries_[key] = rest.substr(24, 8 + size);
      rest.remove_prefix(kHeader + size);
    }
  }
}

std::optional<std::string_view> Cache::Get(const Digest& key) {
  auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  std::uint64_t checksum;
  std::memcpy(&checksum, found->second.data(), 8);
  std::string_view payload = found->second.substr(8);
  if (checksum != Checksum(key, payload)) {
    entries_.erase(found);
    return std::nullopt;
  }
  used_[key] = true;
  return payload;
}

void Cache::Put(const Digest& key, std::string_view bytes) {
  if (!folder_.empty()) added_.emplace_back(key, std::make_unique<std::string>(bytes));
}

void Cache::WritePack(const std::vector<std::pair<Digest, std::string_view>>& entries) {
  std::string bytes(kMagic);
  for (const auto& [key, payload] : entries) {
    std::uint64_t size = payload.size();
    std::uint64_t checksum = Checksum(key, payload);
    bytes.append(key.View());
    bytes.append(reinterpret_cast<const char*>(&size), 8);
    bytes.append(reinterpret_cast<const char*>(&checksum), 8);
    bytes.append(payload);
  }
  // Named by content: two runs that made the same pack share it.
  WriteBeside(folder_ + "/" + DigestOf(bytes).Hex() + ".pack", bytes);
}

void Cache::Flush() {
  if (folder_.empty() || added_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  std::vector<std::pair<Digest, std::string_view>> entries;
  bool merge = pack_paths_.size() >= kManyPacks;
  if (merge) {
    for (const auto& [key, stored] : entries_) {
      if (loaded_bytes_ > kLargePacks && !used_.contains(key)) continue;
      if (std::optional<std::string_view> payload = Get(key)) entries.emplace_back(key, *payload);
    }
  }
  for (const auto& [key, bytes] : added_) entries.emplace_back(key, *bytes);
  std::sort(entries.begin(), entries.end());
  WritePack(entries);
  if (merge) {
    for (const std::string& path : pack_paths_) unlink(path.c_str());
    pack_paths_.clear();
  }
  added_.clear();
}

std::string Cache::ReadIndex(const std::string& name) const {
  if (folder_.empty()) return {};
  auto buffer = llvm::MemoryBuffer::getFile(folder_ + "/" + name + ".index", false, false);
  if (!buffer || (*buffer)->getBufferSize() < 8) return {};
  std::string_view bytes((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  std::uint64_t checksum;
  std::memcpy(&checksum, bytes.data(), 8);
  bytes.remove_prefix(8);
  if (checksum != Checksum(Digest(), bytes)) return {};
  return std::string(bytes);
}

void Cache::WriteIndex(const std::string& name, std::string_view bytes) const {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  std::uint64_t checksum = Checksum(Digest(), bytes);
  std::string whole(reinterpret_cast<const char*>(&checksum), 8);
  whole.append(bytes);
  WriteBeside(folder_ + "/" + name + ".index", whole);
}

std::string DefaultCacheFolder() {
  if (const char* set = std::getenv("OPLEDGER_CACHE_DIR"); set != nullptr && *set != '\0') {
    return set;
  }
  if (const char* set = std::getenv("XDG_CACHE_HOME"); set != nullptr && *set == '/') {
    return std::string(set) + "/opledger";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.cache/opledger";
  }
  return {};
}

}  // namespace opledger::scan
