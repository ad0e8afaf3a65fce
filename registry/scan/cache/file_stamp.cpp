// What stat() says, and how it is kept in the cache.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/cache/file_stamp.h"

#include <sys/stat.h>

#include <chrono>
#include <cstring>

namespace opledger::scan {

FileStamp StampOf(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
          status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec,
          static_cast<std::uint64_t>(status.st_ino)};
}

FileStamp StampOf(const std::string& absolute_path) {
  struct stat status;
  return stat(absolute_path.c_str(), &status) == 0 ? StampOf(status) : FileStamp();
}

std::int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void Write(ByteWriter& out, const FileStamp& stamp) {
  out.Number(stamp.size);
  out.Number(static_cast<std::uint64_t>(stamp.modified));
  out.Number(static_cast<std::uint64_t>(stamp.changed));
  out.Number(stamp.inode);
}

FileStamp ReadStamp(ByteReader& in) {
  FileStamp stamp;
  stamp.size = in.Number();
  stamp.modified = static_cast<std::int64_t>(in.Number());
  stamp.changed = static_cast<std::int64_t>(in.Number());
  stamp.inode = in.Number();
  return stamp;
}

Digest ReadDigest(ByteReader& in) {
  Digest digest;
  std::string_view bytes = in.Text();
  if (bytes.size() == digest.bytes.size()) {
    std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
  }
  return digest;
}

}  // namespace opledger::scan
