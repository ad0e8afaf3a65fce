// Records SIGINT, SIGTERM and SIGHUP during its lifetime instead of ending the process at once, so
// that work can be saved first. Signals that were ignored before stay ignored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <array>

namespace opledger::scan {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool Happened() const;
  // Ends this process by the recorded signal, which a shell reports as 128 plus its number.
  [[noreturn]] void Terminate();

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, 3> before_;
};

}  // namespace opledger::scan
