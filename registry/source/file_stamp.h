// Stamps of files, which show that a file has not changed without reading it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "registry/text/packing.h"

struct stat;

namespace opledger {

// A file or folder changed less than this before its stamp was taken may have changed again
// unnoticed.
inline constexpr std::int64_t kRacyNanoseconds = 2'000'000'000;

// The result of stat() for a file, sufficient to detect changes. For text that is not a file, its
// digest.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::int64_t changed = 0;
  std::uint64_t inode = 0;

  auto operator<=>(const FileStamp&) const = default;
};

FileStamp StampOf(const struct stat& status);
// Derived from the bytes. Its times are zero, so it is never racy.
FileStamp StampOfText(std::string_view text);

// Returns nanoseconds since the epoch, as in file stamps.
std::int64_t NowNanoseconds();

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, FileStamp>& stamp) {
  pack(stamp.size, stamp.modified, stamp.changed, stamp.inode);
}

}  // namespace opledger
