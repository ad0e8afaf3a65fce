// A pool of forked worker processes. A task that crashes its worker, runs too long or eats too much
// memory is lost alone: the worker is replaced and the work goes on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

struct PoolLimits {
  int workers = 1;
  double seconds = 60;           // wall time of one task
  std::size_t megabytes = 2048;  // address space beyond what the worker starts with
};

class WorkerPool {
 public:
  // What a worker does with a task's request; runs in the worker, which sees this process's memory
  // as it was when the pool was made.
  using Work = std::function<std::string(std::string_view request)>;
  // In this process, for each task once: its answer, or why there is none.
  using Done =
      std::function<void(std::size_t task, std::string_view answer, const std::string& failure)>;

  WorkerPool(PoolLimits limits, Work work);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Answers come in any order.
  void Run(const std::vector<std::string>& requests, const Done& done);

 private:
  struct Worker;
  void Start(Worker& worker);
  int Stop(Worker& worker);  // the wait status
  void Send(Worker& worker, const std::vector<std::string>& requests);
  bool Receive(Worker& worker, const Done& done);
  void Lose(Worker& worker, const Done& done, std::string why);  // empty: it died

  PoolLimits limits_;
  Work work_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::size_t> waiting_;  // tasks not sent yet, last first
};

}  // namespace opledger::scan
