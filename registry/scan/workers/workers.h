// A pool of forked worker processes. In: requests and a function. Out: an answer or a failure for
// each. If a task crashes its worker, runs too long or uses too much memory, only that task fails,
// and the worker is replaced. On an interrupt (Ctrl-C), the pool ends its workers and this process.
// If this process is killed, its workers end by themselves.
// May include: registry/files, registry/platform, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

struct PoolLimits {
  int workers = 1;
  double seconds = 60;           // processor time of a task; five times that in real time
  std::size_t megabytes = 2048;  // address space beyond what the worker starts with
  // Folders that a worker may read; it may not write or run programs. nullopt: no restrictions.
  std::optional<std::vector<std::string>> readable = {};
  // Runs in a worker before these restrictions apply.
  std::function<void()> prepare = {};
};

// In a worker: fails the current task with the reason `why`, and ends the worker.
[[noreturn]] void FailTask(std::string_view why);

class WorkerPool {
 public:
  // Handles a task's request. Runs in the worker, which sees this process's memory as it was when
  // the worker started.
  using Work = std::function<std::string(std::string_view request)>;
  // Called in this process, once for each task, with its answer or the reason for its failure.
  using Done =
      std::function<void(std::size_t task, std::string_view answer, const std::string& failure)>;

  // `on_interrupt` is called if SIGINT, SIGTERM or SIGHUP ends a Run. Then the process dies of the
  // signal.
  WorkerPool(PoolLimits limits, Work work, std::function<void()> on_interrupt = {});
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Answers come in any order. A task that fails in a worker which has run others is tried again in
  // a new worker, so that earlier tasks cannot be the cause.
  void Run(const std::vector<std::string>& requests, const Done& done);

 private:
  struct Worker;

  bool Start(Worker& worker);
  void StartTimer(Worker& worker);
  bool TookTooLong(const Worker& worker) const;
  void Assign(Worker& worker, std::size_t task);
  void Fill(Worker& worker);
  void Requeue(Worker& worker, std::size_t first);
  bool Flush(Worker& worker);
  bool Receive(Worker& worker);
  bool ParseFrames(Worker& worker);
  bool Accept(Worker& worker, bool failed, std::string_view answer);
  int KillAndDrain(Worker& worker);
  void HandleFailure(Worker& worker, std::string why);
  std::size_t MaxQueued() const;
  void HandleEvents(Worker& worker, short requests, short answers);
  void FailAll(Worker& worker, const std::string& why);
  void FailWaiting();
  void Wait();

  PoolLimits limits_;
  Work work_;
  std::function<void()> on_interrupt_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::size_t> waiting_;                    // tasks not sent yet, last first
  const std::vector<std::string>* requests_ = nullptr;  // of the current Run
  const Done* done_ = nullptr;
  std::string start_error_;  // why the last worker could not be started
};

}  // namespace opledger::scan
