// Receives SIGINT and SIGTERM in a thread of its own. A handler would run on the stack of whichever
// thread computes, and code that oneDNN generates keeps data below the stack pointer, where the
// kernel puts the frame of a handler: a signal would change results or corrupt memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

namespace opledger {

class SignalThread {
 public:
  // Returns the thread of the process, started if no caller holds it. The calling thread, and those
  // that it starts later, block the signals as long as it is held, so call this before threads that
  // compute are started. Signals that are ignored stay ignored. Throws std::system_error if no
  // thread can be started.
  static std::shared_ptr<SignalThread> Start();

  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

  // Returns the first signal that was ever received, or 0. The second one ends the program, as if
  // it were not blocked.
  static int Received();

 private:
  SignalThread();
  void Receive() const;

  sigset_t awaited_ = {};
  sigset_t before_ = {};
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace opledger
