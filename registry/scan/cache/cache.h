// The cache: digest -> bytes, in pack files of one folder. A run appends to a pack of its own as
// it goes, so a killed run loses seconds; other runs never wait for it and read it at any time. An
// entry with a wrong checksum, and the rest of a pack cut short, are misses.
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
  // `folder` is made when first written to; empty: no cache, every lookup a miss.
  explicit Cache(std::string folder);
  ~Cache();

  // What earlier runs put, not this one.
  std::optional<std::string_view> Get(const Digest& key);
  // Saved at the latest with the first Put two seconds later. Of several Puts of one key any stays.
  void Put(const Digest& key, std::string_view bytes);

  // Writes what was put. Failures are silent, here and below: the cache only saves time.
  void Save();
  // Saves; merges the packs of earlier runs into one when there are many, leaving out what this run
  // did not use once they exceed 256 MB.
  void Flush();

  // The replaceable file `name` of the folder, for indexes; empty when missing or damaged.
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
  std::unordered_map<Digest, std::string_view, DigestHash> entries_;  // sealed (cache_pack.h)
  std::unordered_set<Digest, DigestHash> used_;
  std::string unsaved_;  // entries
  int pack_ = -1;        // this run's; locked while the run lasts
  bool loaded_ = false;
  bool broken_ = false;  // the folder cannot be written to
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace opledger::scan
