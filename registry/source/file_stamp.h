// Stamps of files: what tells without reading a file that it did not change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "registry/text/packing.h"

struct stat;

namespace opledger {

// A file or folder changed this short before its stamp was taken may have changed again unseen.
inline constexpr std::int64_t kRacyNanoseconds = 2'000'000'000;

// What stat() says of a file: enough to know that its bytes did not change. Of a text that is no
// file, its digest.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::int64_t changed = 0;
  std::uint64_t inode = 0;

  auto operator<=>(const FileStamp&) const = default;
};

FileStamp StampOf(const struct stat& status);
// By the bytes themselves; its times are zero, so that it is never racy.
FileStamp StampOfText(std::string_view text);

// Nanoseconds since the epoch, as file stamps count them.
std::int64_t NowNanoseconds();

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, FileStamp>& stamp) {
  pack(stamp.size, stamp.modified, stamp.changed, stamp.inode);
}

}  // namespace opledger
