// Ends a search or a run early: when its time is over, or on Ctrl-C or SIGTERM, which batch systems
// send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "kernels/machine/signal_thread.h"

namespace opledger {

class Stop {
 public:
  // Until destroyed, the first SIGINT or SIGTERM is recorded; the second ends the program. Make it
  // before threads that compute are started.
  explicit Stop(std::optional<double> seconds);

  bool Asked() const;
  // Returns the signal received, SIGINT or SIGTERM, or 0 if none.
  int Signal() const;
  // Seconds left; infinite without a time limit.
  double Left() const;

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
  std::shared_ptr<SignalThread> signals_ = SignalThread::Start();
};

}  // namespace opledger
