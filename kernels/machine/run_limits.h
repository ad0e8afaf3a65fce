// How far a run goes: how many trips its loops take together, and how long. Loops and executors ask
// before each trip and step; who runs a model says. Of this process, as the memory limit is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/machine/stop.h"

namespace opledger {

class RunLimits {
 public:
  static constexpr std::int64_t kMaxTrips = 100'000'000;  // unless somebody says otherwise

  // In force until destroyed, one at a time; Ctrl-C ends a run meanwhile, too.
  RunLimits(std::int64_t max_trips, std::optional<double> seconds);
  ~RunLimits();
  RunLimits(const RunLimits&) = delete;
  RunLimits& operator=(const RunLimits&) = delete;

  bool interrupted() const { return stop_.Interrupted(); }

 private:
  friend const char* WhyToStop();

  Stop stop_;
};

// Trips are counted from here.
void BeginRun();
// Why no further step is run; nullptr: it is.
const char* WhyToStop();
// One more trip: why it is not taken; nullptr: it is.
const char* TakeTrip();

}  // namespace opledger
