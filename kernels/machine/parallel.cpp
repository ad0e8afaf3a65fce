// ForParts uses its own thread pool, which wakes only as many threads as there are parts; OpenMP's
// pool wakes all threads or destroys the surplus ones.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/parallel.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace opledger {
namespace {

std::size_t Processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
  return known ? static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)))
               : std::max(1U, std::thread::hardware_concurrency());
}

// Global, because the pool and OpenMP's threads, which it also sets, are those of the process.
std::size_t g_threads = 0;  // 0: not set
thread_local bool g_is_part = false;

void SetOpenMpThreads([[maybe_unused]] std::size_t threads) {
#if defined(_OPENMP)
  omp_set_num_threads(static_cast<int>(threads));
#endif
}

class Pool {
 public:
  ~Pool() {
    run_ = nullptr;
    for (Worker& worker : workers_) worker.Wake();
    for (Worker& worker : workers_) worker.thread.join();
  }

  void Run(std::size_t parts, void (*run)(const void*, std::size_t), const void* of) {
    while (workers_.size() + 1 < parts) {
      Worker& worker = workers_.emplace_back();
      worker.thread = std::thread(&Pool::Work, this, std::ref(worker), workers_.size());
    }
    run_ = run;
    of_ = of;
    left_.store(parts - 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i + 1 < parts; ++i) workers_[i].Wake();
    g_is_part = true;
    run(of, 0);
    g_is_part = false;
    for (std::size_t left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
  }

 private:
  struct Worker {
    std::thread thread;
    std::atomic<unsigned> calls = 0;

    void Wake() {
      calls.fetch_add(1, std::memory_order_release);
      calls.notify_one();
    }
  };

  void Work(Worker& own, std::size_t part) {
    g_is_part = true;
    for (unsigned done = 0;; ++done) {
      own.calls.wait(done, std::memory_order_acquire);
      if (run_ == nullptr) return;
      run_(of_, part);
      if (left_.fetch_sub(1) == 1) left_.notify_one();
    }
  }

  std::deque<Worker> workers_;                       // a deque, so that they are not moved
  void (*run_)(const void*, std::size_t) = nullptr;  // nullptr: the pool shuts down
  const void* of_ = nullptr;
  std::atomic<std::size_t> left_ = 0;  // unfinished parts
};

}  // namespace

void SetThreads(int threads) {
  g_threads = threads > 0 ? static_cast<std::size_t>(threads) : Processors();
  SetOpenMpThreads(g_threads);
}

std::size_t Threads() {
#if defined(_OPENMP)  // reads OMP_NUM_THREADS
  if (g_threads == 0) g_threads = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));
#endif
  if (g_threads == 0) g_threads = Processors();
  return g_threads;
}

void LetOpenMpSleep([[maybe_unused]] char** arguments) {
#if defined(_OPENMP)
  if (Processors() == 1 || std::getenv("OMP_WAIT_POLICY") != nullptr ||
      std::getenv("GOMP_SPINCOUNT") != nullptr) {
    return;
  }
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", arguments);  // if that fails, the threads spin
#endif
}

OpenMpThreads::OpenMpThreads(std::size_t work) {
  constexpr std::size_t kMinWork = std::size_t{1} << 19;  // per thread, to be worth waking it
  one_ = Threads() > 1 && work / Threads() < kMinWork;
  if (one_) SetOpenMpThreads(1);
}

OpenMpThreads::~OpenMpThreads() {
  if (one_) SetOpenMpThreads(Threads());
}

void RunParts(std::size_t parts, void (*run)(const void* of, std::size_t part), const void* of) {
  static Pool pool;
  if (!g_is_part && parts > 1) return pool.Run(parts, run, of);
  for (std::size_t part = 0; part < parts; ++part) run(of, part);
}

}  // namespace opledger
