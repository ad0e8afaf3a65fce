// When a search or a run ends before its end: its time is over, or someone pressed Ctrl-C or sent
// SIGTERM, as batch systems do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace opledger {

class Stop {
 public:
  // From now on the first SIGINT and SIGTERM are remembered; the second ends the program. Until
  // destroyed.
  explicit Stop(std::optional<double> seconds);
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  bool Asked() const;
  // The signal that came, SIGINT or SIGTERM; 0: none.
  int Signal() const;
  // Seconds that are left; infinite where there is no end.
  double Left() const;

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace opledger
