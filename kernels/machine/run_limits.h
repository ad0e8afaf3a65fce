// Limits of a run: the total number of loop trips and the time. Loops, executors, planners and
// large products check them before each trip, step, node or row. The limits are global to the
// process, as the memory limit is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/machine/stop.h"

namespace opledger {

class RunLimits {
 public:
  static constexpr std::int64_t kMaxTrips = 100'000'000;  // default

  // Replaces the limits in force until destroyed. `seconds` is wall-clock time; nullopt means no
  // limit. Ctrl-C and SIGTERM end a run, too.
  RunLimits(std::int64_t max_trips, std::optional<double> seconds);
  ~RunLimits();
  RunLimits(const RunLimits&) = delete;
  RunLimits& operator=(const RunLimits&) = delete;

  // Returns the signal that ended the run, SIGINT or SIGTERM, or 0 if none did.
  int signal() const { return stop_.Signal(); }

 private:
  friend const char* WhyToStop();

  Stop stop_;
  const RunLimits* before_;
  std::int64_t max_trips_before_;
};

// Resets the count of trips.
void BeginRun();
// Returns why the run has to stop, or nullptr.
const char* WhyToStop();
// Counts a trip. Returns why it may not be taken, or nullptr.
const char* TakeTrip();

}  // namespace opledger
