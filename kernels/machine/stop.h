// Ends a search or a run early: when its time is over, or on Ctrl-C or SIGTERM, which batch systems
// send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace opledger {

class Stop {
 public:
  // Until destroyed, the first SIGINT or SIGTERM is recorded; the second ends the program.
  explicit Stop(std::optional<double> seconds);
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  bool Asked() const;
  // Returns the signal received, SIGINT or SIGTERM, or 0 if none.
  int Signal() const;
  // Seconds left; infinite without a time limit.
  double Left() const;

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace opledger
