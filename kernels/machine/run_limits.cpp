// The counters are global: one model runs at a time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/run_limits.h"

#include <string>

namespace opledger {
namespace {

const RunLimits* g_limits = nullptr;
std::int64_t g_max_trips = RunLimits::kMaxTrips;
std::int64_t g_trips = 0;

}  // namespace

RunLimits::RunLimits(std::int64_t max_trips, std::optional<double> seconds)
    : stop_(seconds), before_(g_limits), max_trips_before_(g_max_trips) {
  g_limits = this;
  g_max_trips = max_trips;
}

RunLimits::~RunLimits() {
  g_limits = before_;
  g_max_trips = max_trips_before_;
}

void BeginRun() { g_trips = 0; }

const char* WhyToStop() {
  if (g_limits == nullptr || !g_limits->stop_.Asked()) return nullptr;
  return g_limits->signal() != 0 ? "interrupted" : "the run exceeded --time-limit";
}

const char* TakeTrip() {
  if (++g_trips <= g_max_trips) return WhyToStop();
  static std::string text;  // must outlive the call
  text = "the model's loops took " + std::to_string(g_max_trips) +
         " trips, and --max-trips allows no more";
  return text.c_str();
}

}  // namespace opledger
