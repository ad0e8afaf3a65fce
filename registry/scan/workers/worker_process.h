// One forked worker, the pipes to it, and what it may use.
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

// Requests and answers travel behind 4 bytes: their length, and in answers whether it is a failure.
struct Frame {
  static constexpr std::uint32_t kFailure = 0x8000'0000U;
  static constexpr std::size_t kHead = 4;

  bool failure = false;
  std::size_t size = 0;

  static std::string Of(std::string_view bytes);
  std::string Head() const;
  // Of the first kHead bytes.
  static Frame Read(std::string_view bytes);
};

struct WorkerProcess {
  pid_t process = -1;  // -1: not running
  int requests = -1;   // written to without blocking
  int answers = -1;
  AnswerBuffer* unsent = nullptr;

  // `others` are descriptors that the worker must not hold open. False, with errno, where the
  // system refuses another process.
  bool Start(const PoolLimits& limits, const WorkerPool::Work& work,
             const std::vector<int>& others);
  // Of processor time, that it has used so far.
  double CpuSeconds() const;
  // Ends it, running or not; the wait status. What it left in `answers` and `unsent` stays.
  int Kill();
  // Ends it, and drops what it left.
  void Stop();
};

// What the wait status of a worker that died says about its task.
std::string DescribeDeath(int status, const PoolLimits& limits);

}  // namespace opledger::scan
