// When a search or a run ends before its end: its time is over, or someone pressed Ctrl-C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace opledger {

class Stop {
 public:
  // From now on the first SIGINT is remembered; the second ends the program. Until destroyed.
  explicit Stop(std::optional<double> seconds);
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  bool Asked() const;
  bool Interrupted() const;  // by the signal

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
  struct sigaction before_ = {};
};

}  // namespace opledger
