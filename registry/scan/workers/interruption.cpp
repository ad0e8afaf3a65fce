// Records the number of the last signal.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/interruption.h"

#include <unistd.h>

#include <csignal>

namespace opledger::scan {
namespace {

volatile std::sig_atomic_t happened = 0;

void RememberSignal(int signal) { happened = signal; }

}  // namespace

Interruption::Interruption() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = RememberSignal;  // without SA_RESTART: poll() must return
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_DFL) sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  if (int signal = happened; signal != 0) {  // after the last check
    happened = 0;
    raise(signal);
  }
}

bool Interruption::Happened() const { return happened != 0; }

void Interruption::Terminate() {
  int number = happened;
  signal(number, SIG_DFL);
  raise(number);
  _exit(128 + number);
}

}  // namespace opledger::scan
