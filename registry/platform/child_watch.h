// Waits for a program that this process started, with limits. Detects a program that neither
// answers nor ends, and one that has ended while a process that it started keeps its output open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace opledger {

// How long a program may be inactive.
struct SilenceLimit {
  double seconds = 60;  // 0: no limit
  // If true, processor time used by the program or its descendants counts as activity. Otherwise
  // only output does.
  bool work_counts = true;
};

class ChildWatch {
 public:
  enum class Event : std::uint8_t {
    kReady,     // something can be read
    kSilent,    // the limit was reached
    kLeftOpen,  // the program has ended; its output is open, but nothing more arrives
    kHeldOpen,  // the program has ended; another process still writes to its output
    kFailed,    // errno is set
  };

  ChildWatch(pid_t process, SilenceLimit limit);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

  // Waits until one of `files` can be read. The first `of_child` of them are the program's outputs;
  // only these count as activity.
  Event Wait(std::span<pollfd> files, std::size_t of_child);
  // Waits until the program has ended and returns its wait status, or nullopt on timeout.
  std::optional<int> WaitForEnd();
  // Ends the program, and its process group if it leads one. Returns the wait status.
  int End();

 private:
  bool HasEnded();
  bool HasWorked();
  Event Judge(double waited, bool answered);

  pid_t process_;
  SilenceLimit limit_;
  int descriptor_;            // of the process; -1 if the kernel does not support it
  double silent_ = 0;         // seconds since the last activity
  double unchecked_ = 0;      // seconds since the last call of HasEnded()
  bool ended_ = false;        // whether the program has ended
  double ended_for_ = 0;      // seconds since then
  double silent_end_ = 0;     // seconds of silence since then
  std::int64_t worked_ = -1;  // nanoseconds of processor time at the last check
};

}  // namespace opledger
