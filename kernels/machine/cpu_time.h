// CPU time and elapsed time, in seconds. CPU time is usable on machines shared with other users.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace opledger {

inline double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// CPU time of this thread, and of all threads of this process.
inline double ThreadSeconds() { return SecondsOf(CLOCK_THREAD_CPUTIME_ID); }
inline double ProcessSeconds() { return SecondsOf(CLOCK_PROCESS_CPUTIME_ID); }
inline double ClockSeconds() { return SecondsOf(CLOCK_MONOTONIC); }

}  // namespace opledger
