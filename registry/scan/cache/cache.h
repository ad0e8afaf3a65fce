// The cache maps digests to bytes, in pack files of one folder. A run appends to its own pack as it
// goes, so a killed run loses seconds of work. Other runs never wait for it and may read it at any
// time. An entry with a wrong checksum, or after the end of a truncated pack, is a miss.
// May include: registry/files, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "registry/files/files.h"
#include "registry/scan/cache/digest.h"

namespace llvm {
class MemoryBuffer;
}

namespace opledger::scan {

class Cache {
 public:
  // `folder` is created on the first write. If empty, there is no cache and every lookup is a miss.
  explicit Cache(std::string folder);
  ~Cache();

  // Returns an entry of an earlier run. Entries that this run put are not returned.
  std::optional<std::string_view> Get(const Digest& key);
  // Written at the latest by the first Put two seconds later. If a key is put several times, any of
  // the values may stay.
  void Put(const Digest& key, std::string_view bytes);

  // Writes what was put. Here and below failures are silent, because the cache only saves time.
  void Save();
  // Saves, and merges the packs of earlier runs into one if there are many. If they exceed 256 MB,
  // drops entries that this run did not use.
  void Flush();

  // Reads and writes a replaceable file of the folder, for indexes. Returns an empty string if the
  // file is missing or damaged.
  std::string ReadIndex(const std::string& name) const;
  void WriteIndex(const std::string& name, std::string_view bytes) const;

 private:
  struct Pack {
    std::string path;
    std::unique_ptr<llvm::MemoryBuffer> bytes;
  };

  void LoadPacks();  // once
  void OpenPack();
  void Merge();
  bool WriteEntries(OutputSink& file, bool used_only);

  std::string folder_;
  std::vector<Pack> packs_;
  // Values are sealed (cache_pack.h).
  std::unordered_map<Digest, std::string_view, DigestHash> entries_;
  std::unordered_set<Digest, DigestHash> used_;
  std::string unsaved_;  // entries not yet written
  int pack_ = -1;        // this run's pack, locked while the run lasts
  bool loaded_ = false;
  bool broken_ = false;  // the folder cannot be written to
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace opledger::scan
