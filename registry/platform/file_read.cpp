// Reading a whole regular file, with a limit.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/file_read.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace opledger {
namespace {

// Reads up to `limit` bytes; false with errno set on failure.
bool ReadUpTo(int descriptor, std::size_t limit, std::string& bytes) {
  std::size_t size = 0;
  bytes.resize(limit);
  while (size < limit) {
    const ssize_t count = read(descriptor, bytes.data() + size, limit - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return true;
}

}  // namespace

std::optional<std::string> ReadFile(const std::string& path, std::size_t maximum_size,
                                    Diagnostics& diagnostics) {
  const auto fail = [&](std::string message, std::string hint) {
    diagnostics.Error({.path = path}, std::move(message), std::move(hint));
    return std::nullopt;
  };
  // Non-blocking, so that a pipe without a writer cannot hang the open.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return fail(std::string("cannot read: ") + std::strerror(errno), {});
  struct stat status = {};
  std::string bytes;
  const bool known = fstat(descriptor, &status) == 0;
  const bool regular = known && S_ISREG(status.st_mode);
  const bool fits = regular && static_cast<std::size_t>(status.st_size) <= maximum_size;
  const bool read = fits && ReadUpTo(descriptor, static_cast<std::size_t>(status.st_size), bytes);
  const int error = errno;
  close(descriptor);
  if (known && !regular) return fail("not a regular file", "name a file that holds the text");
  if (regular && !fits) {
    return fail("larger than " + std::to_string(maximum_size >> 20) + " MB", "name a smaller file");
  }
  if (!read) return fail(std::string("cannot read: ") + std::strerror(error), {});
  return bytes;
}

}  // namespace opledger
