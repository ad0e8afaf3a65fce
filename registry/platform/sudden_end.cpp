// The open descriptors say which files are being written: no list of them has to be kept in step.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sudden_end.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace opledger {
namespace {

constexpr std::string_view kTemporaryEnd = ".opledger-tmp";
constexpr int kMostDescriptors = 4096;  // a file is written under one of the lowest

// "/proc/self/fd/17", without a call that may allocate.
std::array<char, 32> PlaceOf(int descriptor) {
  std::array<char, 32> place = {};
  constexpr std::string_view kFolder = "/proc/self/fd/";
  char* end = std::copy(kFolder.begin(), kFolder.end(), place.begin());
  char* const begin = end;
  do {
    *end++ = static_cast<char>('0' + descriptor % 10);
    descriptor /= 10;
  } while (descriptor != 0);
  std::reverse(begin, end);
  return place;
}

bool IsTemporaryPath(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with('.') && name.ends_with(kTemporaryEnd);
}

}  // namespace

void RemoveOpenTemporaries() {
  rlimit limit = {};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kMostDescriptors;
  const int count = known ? static_cast<int>(limit.rlim_cur) : kMostDescriptors;
  std::array<char, 4096> path;
  for (int descriptor = 0; descriptor < count; ++descriptor) {
    const ssize_t size = readlink(PlaceOf(descriptor).data(), path.data(), path.size() - 1);
    if (size <= 0) continue;
    path[static_cast<std::size_t>(size)] = '\0';
    if (IsTemporaryPath({path.data(), static_cast<std::size_t>(size)})) unlink(path.data());
  }
}

void EndSuddenly(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) break;
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  RemoveOpenTemporaries();
  _exit(2);
}

}  // namespace opledger
