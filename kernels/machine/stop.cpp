// What is remembered is that there was a signal.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/stop.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr double kLongest = 1e8;  // seconds, which the clock can count

volatile std::sig_atomic_t interrupted = 0;

void Remember(int) { interrupted = 1; }

}  // namespace

Stop::Stop(std::optional<double> seconds) {
  if (seconds) {
    const std::chrono::duration<double> time(std::min(*seconds, kLongest));
    end_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
  }
  struct sigaction action = {};
  action.sa_handler = Remember;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_DFL) sigaction(SIGINT, &action, nullptr);
}

Stop::~Stop() { sigaction(SIGINT, &before_, nullptr); }

bool Stop::Interrupted() const { return interrupted != 0; }

bool Stop::Asked() const {
  return Interrupted() || (end_ && std::chrono::steady_clock::now() >= *end_);
}

}  // namespace opledger
