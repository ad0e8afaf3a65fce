// Compares with the clock and asks for a signal.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/stop.h"

#include <algorithm>
#include <limits>

namespace opledger {
namespace {

constexpr double kLongest = 1e8;  // longest time limit in seconds; more would overflow the clock

}  // namespace

Stop::Stop(std::optional<double> seconds) {
  if (seconds) {
    const std::chrono::duration<double> time(std::min(*seconds, kLongest));
    end_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
  }
}

int Stop::Signal() const { return SignalThread::Received(); }

double Stop::Left() const {
  if (!end_) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*end_ - std::chrono::steady_clock::now()).count();
}

bool Stop::Asked() const { return Signal() != 0 || Left() <= 0; }

}  // namespace opledger
