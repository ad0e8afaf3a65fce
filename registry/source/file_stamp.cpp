// Creates stamps from stat() or from text.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/file_stamp.h"

#include <sys/stat.h>

#include <charconv>
#include <chrono>
#include <string>

#include "registry/files/sha256.h"

namespace opledger {

FileStamp StampOf(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
          status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec,
          static_cast<std::uint64_t>(status.st_ino)};
}

FileStamp StampOfText(std::string_view text) {
  const std::string digest = Sha256Hex(text);
  FileStamp stamp;
  std::from_chars(digest.data(), digest.data() + 16, stamp.size, 16);
  std::from_chars(digest.data() + 16, digest.data() + 32, stamp.inode, 16);
  return stamp;
}

std::int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace opledger
