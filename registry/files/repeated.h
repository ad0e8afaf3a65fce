// Repeats system calls that a signal interrupts before they have done anything, which happens on
// network file systems.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>

namespace opledger {

// Repeats the call until it succeeds or fails with an error other than EINTR. Returns its result,
// which is negative on failure. Not for close().
template <typename Call>
int Repeated(Call call) {
  for (;;) {
    const auto result = static_cast<int>(call());
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Makes the stream (STDOUT_FILENO) refer to the open file. On failure, returns false with errno set
// and leaves the stream unchanged.
inline bool Redirect(int file, int stream) {
  return Repeated([&] { return dup2(file, stream); }) >= 0;
}

}  // namespace opledger
