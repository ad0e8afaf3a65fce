// The limits in force and the count of trips are global, because loops, executors and products at
// every depth check them, and one model runs at a time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/run_limits.h"

#include <string>

namespace opledger {
namespace {

const RunLimits* g_limits = nullptr;  // in force; nullptr: the default
std::int64_t g_trips = 0;             // of this run

}  // namespace

RunLimits::RunLimits(std::int64_t max_trips, std::optional<double> seconds)
    : max_trips_(max_trips), stop_(seconds), before_(g_limits) {
  g_limits = this;
}

RunLimits::~RunLimits() { g_limits = before_; }

void BeginRun() { g_trips = 0; }

const char* WhyToStop() {
  if (g_limits == nullptr || !g_limits->stop_.Asked()) return nullptr;
  return g_limits->signal() != 0 ? "interrupted" : "the run exceeded --time-limit";
}

const char* TakeTrip() {
  const std::int64_t max_trips = g_limits != nullptr ? g_limits->max_trips_ : RunLimits::kMaxTrips;
  if (++g_trips <= max_trips) return WhyToStop();
  static std::string text;  // must outlive the call
  text = "the model's loops took " + std::to_string(max_trips) +
         " trips, and --max-trips allows no more";
  return text.c_str();
}

}  // namespace opledger
