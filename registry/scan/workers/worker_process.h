// A forked worker, its pipes and its limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/workers/answer_buffer.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {

// Requests and answers follow 4 bytes: their length and, for answers, whether it is a failure.
struct Frame {
  static constexpr std::uint32_t kFailure = 0x8000'0000U;
  static constexpr std::size_t kHead = 4;

  bool failure = false;
  std::size_t size = 0;

  static std::string Of(std::string_view bytes);
  std::string Head() const;
  // Reads the first kHead bytes.
  static Frame Read(std::string_view bytes);
};

struct WorkerProcess {
  pid_t process = -1;  // -1: not running
  int requests = -1;   // non-blocking
  int answers = -1;
  AnswerBuffer* unsent = nullptr;

  // Starts the process. `others` are descriptors that the worker must not keep open. Returns false,
  // with errno set, if the system refuses another process.
  bool Start(const PoolLimits& limits, const WorkerPool::Work& work,
             const std::vector<int>& others);
  // Returns the processor time used so far, in seconds.
  double CpuSeconds() const;
  // Ends the process, running or not, and returns its wait status. Keeps what it left in `answers`
  // and `unsent`.
  int Kill();
  // Ends the process and drops what it left.
  void Stop();
};

// Describes, for the worker's task, the wait status of a worker that died.
std::string DescribeDeath(int status, const PoolLimits& limits);

}  // namespace opledger::scan
