// The cache: digest -> bytes, in pack files of one folder. A run appends one pack of what it made;
// a pack is written beside and renamed, so concurrent runs never wait for or damage each other. An
// entry with a wrong checksum, and a pack cut short, are misses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "registry/scan/digest.h"

namespace llvm {
class MemoryBuffer;
}

namespace opledger::scan {

class Cache {
 public:
  // `folder` is made when first written to; empty: no cache, every lookup a miss.
  explicit Cache(std::string folder);
  ~Cache();

  std::optional<std::string_view> Get(const Digest& key);
  void Put(const Digest& key, std::string_view bytes);

  // Writes what was put since the last flush. Merges all packs into one when there are many,
  // leaving out what this run did not use once they exceed 256 MB. Failures are silent: the cache
  // only saves time.
  void Flush();

  // The replaceable file `name` of the folder, for indexes; empty when missing or damaged.
  std::string ReadIndex(const std::string& name) const;
  void WriteIndex(const std::string& name, std::string_view bytes) const;

 private:
  void LoadPacks();
  void WritePack(const std::vector<std::pair<Digest, std::string_view>>& entries);

  std::string folder_;
  std::vector<std::string> pack_paths_;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> packs_;
  std::size_t loaded_bytes_ = 0;
  std::unordered_map<Digest, std::string_view, DigestHash> entries_;  // payload with checksum
  std::unordered_map<Digest, bool, DigestHash> used_;
  std::vector<std::pair<Digest, std::unique_ptr<std::string>>> added_;
};

// $OPLEDGER_CACHE_DIR, else $XDG_CACHE_HOME/opledger, else ~/.cache/opledger; empty without a home.
std::string DefaultCacheFolder();

}  // namespace opledger::scan
