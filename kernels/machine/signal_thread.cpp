// Makes only system calls that the sandbox allows, which has no signalfd.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/signal_thread.h"

#include <pthread.h>

#include <atomic>

namespace opledger {
namespace {

constexpr int kEnd = SIGURG;  // wakes the thread, so that it can end; ignored by default

std::atomic<int> received = 0;

bool IsIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

std::shared_ptr<SignalThread> SignalThread::Start() {
  static std::weak_ptr<SignalThread> running;
  std::shared_ptr<SignalThread> thread = running.lock();
  if (thread == nullptr) {
    thread.reset(new SignalThread);
    running = thread;
  }
  return thread;
}

SignalThread::SignalThread() {
  sigemptyset(&awaited_);
  sigaddset(&awaited_, kEnd);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!IsIgnored(signal)) sigaddset(&awaited_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
  thread_ = std::thread(&SignalThread::Receive, this);
}

SignalThread::~SignalThread() {
  ends_ = true;
  pthread_kill(thread_.native_handle(), kEnd);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalThread::Received() { return received; }

void SignalThread::Receive() const {
  for (;;) {
    const int signal = sigwaitinfo(&awaited_, nullptr);
    if (ends_) return;
    if (signal != SIGINT && signal != SIGTERM) continue;
    if (int none = 0; received.compare_exchange_strong(none, signal)) continue;
    pthread_sigmask(SIG_UNBLOCK, &awaited_, nullptr);
    raise(signal);
  }
}

}  // namespace opledger
