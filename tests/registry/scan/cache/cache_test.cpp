// Cache records that are damaged, truncated, stored under another key, or half written by a killed
// run are misses, and are removed.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/cache/cache.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "registry/scan/cache/cache_pack.h"
#include "tests/registry/scratch_folder.h"

namespace opledger::scan {
namespace {

namespace fs = std::filesystem;

Digest KeyOf(const std::string& text) {
  DigestBuilder builder;
  builder.Add(text);
  return builder.Finish();
}

std::string OnlyPack(const ScratchFolder& folder) {
  std::string found;
  for (const fs::directory_entry& each : fs::directory_iterator(folder.Path())) {
    if (each.path().extension() == ".pack") found = each.path().filename().string();
  }
  return found;
}

TEST(CacheTest, GivesWhatWasPut) {
  const ScratchFolder folder;
  {
    Cache cache(folder.Path());
    cache.Put(KeyOf("a"), "one");
    cache.Flush();
    cache.WriteIndex("here", "index");
  }
  Cache cache(folder.Path());
  EXPECT_EQ(cache.Get(KeyOf("a")), "one");
  EXPECT_EQ(cache.Get(KeyOf("b")), std::nullopt);
  EXPECT_EQ(cache.ReadIndex("here"), "index");
}

// Flips a bit of the key, the size or the payload, or truncates: never yields another payload.
TEST(CacheTest, DamageIsAMiss) {
  const ScratchFolder folder;
  {
    Cache cache(folder.Path());
    cache.Put(KeyOf("a"), "one");
    cache.Flush();
    cache.WriteIndex("here", "index");
  }
  const std::string name = OnlyPack(folder);
  for (const std::string& file : {name, std::string("here.index")}) {
    const std::string whole = folder.Read(file);
    const auto is_miss = [&] {
      Cache cache(folder.Path());
      return file == name ? !cache.Get(KeyOf("a")) : cache.ReadIndex("here").empty();
    };
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 4);
      folder.Write(file, damaged);
      EXPECT_TRUE(is_miss()) << file << " at " << at;
      folder.Write(file, whole.substr(0, at));
      EXPECT_TRUE(is_miss()) << file << " cut at " << at;
    }
    folder.Write(file, whole);
    EXPECT_FALSE(is_miss());
  }
}

TEST(CacheTest, LeftTemporariesGo) {
  const ScratchFolder folder;
  folder.Write(".left.pack.opledger-tmp", "half");
  folder.Write(".left.index.opledger-tmp", "half");
  Cache cache(folder.Path());
  cache.Put(KeyOf("a"), "one");
  cache.Flush();
  EXPECT_EQ(folder.Count(), 1);
}

}  // namespace
}  // namespace opledger::scan
