// Waiting for a program that this one started, with limits: one that neither answers nor ends is
// noticed, and so is one that has ended while something that it started holds its output open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace opledger {

// How long a program may give no sign of life.
struct SilenceLimit {
  double seconds = 60;  // 0: forever
  // Using the processor is a sign of life, of the program or of what it started; else only output
  // is.
  bool work_counts = true;
};

class ChildWatch {
 public:
  enum class Event : std::uint8_t {
    kReady,     // something can be read
    kSilent,    // the limit is reached
    kLeftOpen,  // it has ended, and its output stays open, but nothing more comes
    kHeldOpen,  // it has ended, and something else still writes to its output
    kFailed,    // errno says why
  };

  ChildWatch(pid_t process, SilenceLimit limit);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

  // Waits until one of `files` can be read. The first `of_child` are the program's outputs; only
  // these count as its answer.
  Event Wait(std::span<pollfd> files, std::size_t of_child);
  // Waits until the program has ended, and gives its wait status; nullopt if it does not.
  std::optional<int> WaitForEnd();
  // Ends the program, and its process group if it leads one. Gives the wait status.
  int End();

 private:
  bool HasEnded();
  bool HasWorked();
  Event Judge(double waited, bool answered);

  pid_t process_;
  SilenceLimit limit_;
  int descriptor_;            // of the process; -1 where the kernel has none
  double silent_ = 0;         // seconds since the last sign of life
  double unchecked_ = 0;      // seconds since HasEnded was last asked
  bool ended_ = false;        // the program
  double ended_for_ = 0;      // seconds
  double silent_end_ = 0;     // seconds of silence after that
  std::int64_t worked_ = -1;  // nanoseconds of processor time when last looked at
};

}  // namespace opledger
