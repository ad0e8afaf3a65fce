// A pool of forked worker processes. In: requests and a function; out: an answer or a failure for
// each. A task that crashes its worker, runs too long or eats too much memory is lost alone: the
// worker is replaced and the work goes on. Interrupted (Ctrl-C), the pool ends its workers and
// this process; killed, its workers end by themselves.
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
  double seconds = 60;           // processor time of one task; five times that by the clock
  std::size_t megabytes = 2048;  // address space beyond what the worker starts with
  // Folders that a worker may read; it writes nothing, and runs no program. None: as this process.
  std::optional<std::vector<std::string>> readable = {};
  // What a worker does before it is kept to that.
  std::function<void()> prepare = {};
};

// In a worker: the current task has no answer, `why` is its failure. Ends the worker.
[[noreturn]] void FailTask(std::string_view why);

class WorkerPool {
 public:
  // What a worker does with a task's request; runs in the worker, which sees this process's memory
  // as it was when the worker was started.
  using Work = std::function<std::string(std::string_view request)>;
  // In this process, for each task once: its answer, or why there is none.
  using Done =
      std::function<void(std::size_t task, std::string_view answer, const std::string& failure)>;

  // `on_interrupt` is called when SIGINT, SIGTERM or SIGHUP ends a Run; then the process dies of
  // the signal.
  WorkerPool(PoolLimits limits, Work work, std::function<void()> on_interrupt = {});
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Answers come in any order. A task that a worker fails after others is tried once more in a
  // worker of its own, so that what came before is never to blame.
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
