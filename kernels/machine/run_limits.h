// How far a run goes: how many trips its loops take together, and how long. Loops, executors,
// planners and large products ask before each trip, step, node and row; who runs a model says. Of
// this process, as the memory limit is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/machine/stop.h"

namespace opledger {

class RunLimits {
 public:
  static constexpr std::int64_t kMaxTrips = 100'000'000;  // unless somebody says otherwise

  // In force until destroyed, instead of those that were before; Ctrl-C and SIGTERM end a run, too.
  RunLimits(std::int64_t max_trips, std::optional<double> seconds);
  ~RunLimits();
  RunLimits(const RunLimits&) = delete;
  RunLimits& operator=(const RunLimits&) = delete;

  // That ended a run, SIGINT or SIGTERM; 0: none.
  int signal() const { return stop_.Signal(); }

 private:
  friend const char* WhyToStop();

  Stop stop_;
  const RunLimits* before_;
  std::int64_t max_trips_before_;
};

// Trips are counted from here.
void BeginRun();
// Why no further step is run; nullptr: it is.
const char* WhyToStop();
// One more trip: why it is not taken; nullptr: it is.
const char* TakeTrip();

}  // namespace opledger
