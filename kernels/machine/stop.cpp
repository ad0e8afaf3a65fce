// Records the signal, so that the search or run can stop cleanly.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/stop.h"

#include <algorithm>
#include <limits>

namespace opledger {
namespace {

constexpr double kLongest = 1e8;  // longest time limit in seconds; more would overflow the clock

volatile std::sig_atomic_t signal_that_came = 0;

void Remember(int signal) { signal_that_came = signal; }

// Does nothing if the signal has another handler or is ignored.
void RememberFromNowOn(int signal, struct sigaction& before) {
  struct sigaction action = {};
  action.sa_handler = Remember;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
}

}  // namespace

Stop::Stop(std::optional<double> seconds) {
  if (seconds) {
    const std::chrono::duration<double> time(std::min(*seconds, kLongest));
    end_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
  }
  RememberFromNowOn(SIGINT, interrupt_before_);
  RememberFromNowOn(SIGTERM, terminate_before_);
}

Stop::~Stop() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

int Stop::Signal() const { return signal_that_came; }

double Stop::Left() const {
  if (!end_) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*end_ - std::chrono::steady_clock::now()).count();
}

bool Stop::Asked() const { return Signal() != 0 || Left() <= 0; }

}  // namespace opledger
