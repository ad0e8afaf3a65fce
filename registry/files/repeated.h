// Calls that a signal may interrupt before they have done anything, as it does on file systems
// across a network.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>

namespace opledger {

// Makes the call again until it succeeds or fails with something else than EINTR; gives what it
// gives, which is negative where it fails. Not for close().
template <typename Call>
int Repeated(Call call) {
  for (;;) {
    const auto result = static_cast<int>(call());
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Makes the stream (STDOUT_FILENO) what the open file is; false, with errno: it stays what it was.
inline bool Redirect(int file, int stream) {
  return Repeated([&] { return dup2(file, stream); }) >= 0;
}

}  // namespace opledger
