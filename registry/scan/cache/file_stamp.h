// Stamps of files: what tells without reading a file that it did not change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "registry/scan/cache/digest.h"
#include "registry/text/bytes.h"

struct stat;

namespace opledger::scan {

// A file or folder changed this short before its stamp was taken may have changed again unseen.
inline constexpr std::int64_t kRacyNanoseconds = 2'000'000'000;

// What stat() says of a file: enough to know that its bytes did not change.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds
  std::int64_t changed = 0;
  std::uint64_t inode = 0;

  auto operator<=>(const FileStamp&) const = default;
};

// Zero where nothing is at the path.
FileStamp StampOf(const std::string& absolute_path);
FileStamp StampOf(const struct stat& status);

// Nanoseconds since the epoch, as file stamps count them.
std::int64_t NowNanoseconds();

void Write(ByteWriter& out, const FileStamp& stamp);
FileStamp ReadStamp(ByteReader& in);
Digest ReadDigest(ByteReader& in);

}  // namespace opledger::scan
