// Entry: key (16 bytes), size of the payload (8), checksum (8), payload. Integers are
// little-endian.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/cache/cache_pack.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "llvm/Support/xxhash.h"
#include "registry/files/file_lock.h"
#include "registry/files/files.h"
#include "registry/files/list_folder.h"
#include "registry/files/open_file.h"
#include "registry/files/replacement.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kChecksum = 8;
constexpr std::size_t kHead = 16 + 8;
constexpr std::time_t kForgottenSeconds = 90 * 24 * 3600;  // for trees that are no longer scanned

std::uint64_t Checksum(const Digest& key, std::string_view payload) {
  std::uint64_t halves[2];
  std::memcpy(halves, key.bytes.data(), sizeof halves);
  std::uint64_t hash = llvm::xxHash64(llvm::StringRef(payload.data(), payload.size()));
  for (std::uint64_t half : halves) hash = (hash ^ half) * 0x9e3779b97f4a7c15U;
  return hash;
}

}  // namespace

std::string Seal(const Digest& key, std::string_view payload) {
  std::uint64_t checksum = Checksum(key, payload);
  std::string sealed(reinterpret_cast<const char*>(&checksum), kChecksum);
  return sealed.append(payload);
}

std::optional<std::string_view> Unseal(const Digest& key, std::string_view sealed) {
  if (sealed.size() < kChecksum) return std::nullopt;
  std::uint64_t checksum;
  std::memcpy(&checksum, sealed.data(), kChecksum);
  sealed.remove_prefix(kChecksum);
  if (checksum != Checksum(key, sealed)) return std::nullopt;
  return sealed;
}

void AppendEntry(std::string& pack, const Digest& key, std::string_view payload) {
  std::uint64_t size = payload.size();
  std::uint64_t checksum = Checksum(key, payload);
  pack.append(key.View());
  pack.append(reinterpret_cast<const char*>(&size), sizeof size);
  pack.append(reinterpret_cast<const char*>(&checksum), kChecksum);
  pack.append(payload);
}

void ReadPack(std::string_view pack,
              const std::function<void(const Digest& key, std::string_view sealed)>& found) {
  if (!pack.starts_with(kPackMagic)) return;
  pack.remove_prefix(kPackMagic.size());
  while (pack.size() >= kHead + kChecksum) {
    Digest key;
    std::uint64_t size;
    std::memcpy(key.bytes.data(), pack.data(), 16);
    std::memcpy(&size, pack.data() + 16, sizeof size);
    if (size > pack.size() - kHead - kChecksum) return;
    found(key, pack.substr(kHead, kChecksum + size));
    pack.remove_prefix(kHead + kChecksum + size);
  }
}

void RemoveStaleFiles(const std::string& folder) {
  RemoveStaleTemporaries(folder);
  for (const std::string& name : NamesIn(folder).names) {
    if (!name.ends_with(".index")) continue;
    const std::string path = folder + '/' + name;
    int file = OpenInput(path, Links::kRefuse);
    if (file < 0) continue;
    struct stat status;
    bool stale = fstat(file, &status) == 0 &&
                 status.st_mtim.tv_sec < std::time(nullptr) - kForgottenSeconds &&
                 TryToLock(file) != Locked::kBusy;
    if (stale) unlink(path.c_str());
    close(file);
  }
}

}  // namespace opledger::scan
