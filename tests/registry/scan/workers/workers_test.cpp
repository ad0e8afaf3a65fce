// The pool with workers that fail in every way, and with answers and requests of any size.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/workers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <random>

namespace opledger::scan {
namespace {

struct Outcome {
  std::string answer;
  std::string failure;
};

using Outcomes = std::map<std::size_t, Outcome>;

// Runs the requests; fails if a task is answered twice or not at all.
Outcomes RunAll(WorkerPool& pool, const std::vector<std::string>& requests) {
  Outcomes outcomes;
  pool.Run(requests, [&](std::size_t task, std::string_view answer, const std::string& failure) {
    bool fresh = outcomes.emplace(task, Outcome{std::string(answer), failure}).second;
    EXPECT_TRUE(fresh) << "task " << task << " is done twice";
  });
  EXPECT_EQ(outcomes.size(), requests.size());
  return outcomes;
}

volatile int sink = 0;
volatile int deepest = 1 << 30;

int Recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth < deepest) sink = Recurse(depth + 1) + frame[0];
  return sink;
}

std::string Fail(std::string_view how) {
  if (how == "crash") raise(SIGSEGV);
  if (how == "abort") std::abort();
  if (how == "exit") _exit(7);
  if (how == "give up") FailTask("it is Sunday");
  if (how == "stack") Recurse(0);
  while (how == "hang") sink = sink + 1;
  while (how == "memory") {
    char* bytes = new char[1 << 20];
    std::memset(bytes, 1, 1 << 20);
    sink = sink + bytes[sink & 1];
  }
  return "fine: " + std::string(how);
}

bool AllChildrenAreGone() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

#if defined(OPLEDGER_ADDRESS_SANITIZER)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(WorkerPool, LosesOnlyTheTasksThatFail) {
  const std::map<std::string, std::string> reasons = {
      {"crash", "crashed (Segmentation fault)"},
      {"abort", "stopped itself (Aborted)"},
      {"exit", "ended with status 7"},
      {"give up", "it is Sunday"},
      {"stack", "crashed (Segmentation fault)"},
      {"hang", "took more than 3 seconds (--file-seconds)"},
      {"memory", "needs more than 128 MB of memory (--file-megabytes)"}};
  for (int workers : {1, 2, 4}) {
    std::vector<std::string> requests;
    for (int i = 0; i < 40; ++i) requests.push_back("task " + std::to_string(i));
    for (const auto& [how, reason] : reasons) {
      // Sanitizers have no memory limit, or their own handlers and messages.
      if (kSanitized && (how == "memory" || how == "stack" || how == "crash")) continue;
      requests.insert(requests.begin() + static_cast<long>(3 * requests.size() / 5), how);
    }
    {
      WorkerPool pool({workers, 3, 128}, Fail);
      const Outcomes outcomes = RunAll(pool, requests);
      for (std::size_t task = 0; task < requests.size(); ++task) {
        auto bad = reasons.find(requests[task]);
        const Outcome& outcome = outcomes.at(task);
        if (bad == reasons.end()) {
          EXPECT_EQ(outcome.answer, "fine: " + requests[task]);
          EXPECT_EQ(outcome.failure, "");
        } else {
          EXPECT_EQ(outcome.answer, "");
          EXPECT_NE(outcome.failure.find(bad->second), std::string::npos) << outcome.failure;
        }
      }
    }
    EXPECT_TRUE(AllChildrenAreGone());
  }
}

// The state that earlier tasks left in a worker is not blamed on a later one.
TEST(WorkerPool, TriesAgainInAWorkerOfItsOwn) {
  int done = 0;
  WorkerPool pool({1, 10, 2048}, [&](std::string_view) -> std::string {
    if (++done > 3) std::abort();  // tasks of this worker
    return "fine";
  });
  const Outcomes outcomes = RunAll(pool, std::vector<std::string>(20, "task"));
  for (const auto& [task, outcome] : outcomes) EXPECT_EQ(outcome.answer, "fine") << task;
}

// Answers are sent in batches; those finished before a crash are not lost.
TEST(WorkerPool, DoesNothingTwiceButWhatFailed) {
  void* shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* begun = new (shared) std::atomic<int>(0);
  std::vector<std::string> requests(300, "task");
  requests[100] = requests[101] = "crash";
  requests[230] = "give up";
  WorkerPool pool({1, 60, 2048}, [&](std::string_view request) {
    ++*begun;
    return Fail(request);
  });
  const Outcomes outcomes = RunAll(pool, requests);
  for (std::size_t task = 0; task < requests.size(); ++task) {
    EXPECT_EQ(outcomes.at(task).failure.empty(), requests[task] == "task") << task;
  }
  // Only the first crash followed other tasks in its worker.
  EXPECT_EQ(*begun, 301);
  munmap(shared, sizeof(std::atomic<int>));
}

// Workers are killed at any time, even in the middle of an answer.
TEST(WorkerPool, MixesNothingUpWhenWorkersAreKilled) {
  std::mt19937 random(5);
  bool armed = false;
  WorkerPool pool({2, 60, 2048}, [&](std::string_view request) {
    if (!armed) {
      random.seed(static_cast<unsigned>(getpid()));
      ualarm(300 + random() % 3'000, 0);  // no handler for SIGALRM
      armed = true;
    }
    const std::size_t size = std::stoul(std::string(request));
    return std::string(request) + std::string(size % 97 == 0 ? 100'000 : size % 1000, 'x');
  });
  std::vector<std::string> requests;
  for (int i = 0; i < 12'000; ++i) requests.push_back(std::to_string(i));
  const Outcomes outcomes = RunAll(pool, requests);
  std::size_t answered = 0;
  for (std::size_t task = 0; task < requests.size(); ++task) {
    const Outcome& outcome = outcomes.at(task);
    if (!outcome.failure.empty()) continue;
    ++answered;
    ASSERT_EQ(outcome.answer.size(),
              requests[task].size() + (task % 97 == 0 ? 100'000 : task % 1000));
    ASSERT_TRUE(outcome.answer.starts_with(requests[task])) << task;
  }
  EXPECT_GT(answered, 10'000U);
}

TEST(WorkerPool, CarriesRequestsAndAnswersLargerThanAPipe) {
  for (int workers : {1, 3}) {
    WorkerPool pool({workers, 60, 2048}, [](std::string_view request) {
      std::string answer(request);
      for (int i = 0; i < 6; ++i) answer += answer;
      return answer;
    });
    std::vector<std::string> requests;
    for (int i = 0; i < 30; ++i) requests.emplace_back(i % 7 == 0 ? 300'000 : 5'000, 'a' + i % 26);
    requests.emplace_back();
    const Outcomes outcomes = RunAll(pool, requests);
    for (std::size_t task = 0; task < requests.size(); ++task) {
      EXPECT_EQ(outcomes.at(task).answer.size(), 64 * requests[task].size());
      EXPECT_TRUE(outcomes.at(task).answer.starts_with(requests[task]));
    }
  }
}

// Pipes of one page, as for a user with many pipes.
TEST(WorkerPool, DoesNotWaitForItselfWhenPipesAreSmall) {
  WorkerPool pool({2, 60, 2048}, [](std::string_view request) {
    fcntl(3, F_SETPIPE_SZ, 4096);
    for (int file = 3; file < 64; ++file) fcntl(file, F_SETPIPE_SZ, 4096);
    return std::string(100'000, request[0]);
  });
  const Outcomes outcomes = RunAll(pool, std::vector<std::string>(64, std::string(2'000, 'x')));
  for (const auto& [task, outcome] : outcomes) EXPECT_EQ(outcome.answer.size(), 100'000U) << task;
}

TEST(WorkerPool, RefusesAnAnswerLargerThanTheMemoryOfATask) {
  WorkerPool pool({1, 60, 64}, [](std::string_view request) {
    if (request == "lie") {
      const std::uint32_t size = 0x7fff'ffff;
      for (int file = 3; file < 64; ++file) {  // the test runner's own files stay open
        struct stat status;
        bool is_pipe = fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
        if (is_pipe && write(file, &size, sizeof size) == sizeof size) break;
      }
      sleep(60);
    }
    return std::string(request);
  });
  const Outcomes outcomes = RunAll(pool, {"a", "lie", "b"});
  EXPECT_EQ(outcomes.at(0).answer, "a");
  EXPECT_EQ(outcomes.at(1).failure, "its answer is too large");
  EXPECT_EQ(outcomes.at(2).answer, "b");
}

// Closes the ends of this worker's pipes that are open in the given mode.
void ClosePipes(int how) {
  for (int file = 3; file < 64; ++file) {
    struct stat status;
    const bool is_pipe = fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
    if (is_pipe && (fcntl(file, F_GETFL) & O_ACCMODE) == how) close(file);
  }
}

// Writing to a live worker's pipe fails, or its answers end: only its current task is lost, and the
// others do not wait for it.
TEST(WorkerPool, DoesNotWaitForAWorkerThatCloses) {
  for (const int workers : {1, 2}) {
    WorkerPool pool({workers, 1, 2048}, [](std::string_view request) {
      if (request == "deaf" || request == "dumb") {
        ClosePipes(request == "deaf" ? O_RDONLY : O_WRONLY);
        for (;;) pause();
      }
      return std::string(request.substr(0, 4));
    });
    std::vector<std::string> requests(60, std::string(20'000, 'x'));  // more than a pipe can hold
    requests[7] = "deaf";
    requests[31] = "dumb";
    const auto start = std::chrono::steady_clock::now();
    const Outcomes outcomes = RunAll(pool, requests);
    for (std::size_t task = 0; task < requests.size(); ++task) {
      const bool bad = requests[task].size() == 4;
      EXPECT_EQ(outcomes.at(task).answer, bad ? "" : "xxxx") << task;
      EXPECT_EQ(outcomes.at(task).failure.empty(), !bad) << task;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
}

TEST(WorkerPool, SaysWhyNoWorkerCanBeStarted) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  int lowest = open("/dev/null", O_RDONLY);
  close(lowest);
  rlimit none{static_cast<rlim_t>(lowest), before.rlim_max};
  WorkerPool pool({2, 60, 2048}, Fail);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Outcomes cannot_start = RunAll(pool, {"a", "b", "c"});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const auto& [task, outcome] : cannot_start) {
    EXPECT_EQ(outcome.failure, "no worker process could be started: Too many open files") << task;
  }
  EXPECT_EQ(RunAll(pool, {"a"}).at(0).answer, "fine: a");  // a later Run tries again
}

TEST(WorkerPool, RunsTwice) {
  WorkerPool pool({2, 60, 2048}, Fail);
  EXPECT_EQ(RunAll(pool, {}).size(), 0U);
  EXPECT_EQ(RunAll(pool, {"a", "crash", "b"}).at(2).answer, "fine: b");
  EXPECT_EQ(RunAll(pool, {"c"}).at(0).answer, "fine: c");
}

// A child process runs a pool whose worker hangs; only that process gets the signal.
class Signalled : public ::testing::TestWithParam<int> {};

TEST_P(Signalled, EndsWithItsWorkers) {
  int words[2];
  ASSERT_EQ(pipe(words), 0);
  pid_t process = fork();
  if (process == 0) {
    close(words[0]);
    WorkerPool pool(
        {2, 600, 2048},
        [&](std::string_view request) {
          if (write(words[1], "s", 1) != 1) _exit(9);
          return Fail(request);
        },
        [&] {
          if (write(words[1], "l", 1) != 1) _exit(9);
        });
    pool.Run(std::vector<std::string>(40, "hang"), [](auto...) {});
    _exit(0);
  }
  close(words[1]);
  char said[3] = {};
  ASSERT_EQ(read(words[0], said, 1), 1);  // both workers have started
  ASSERT_EQ(read(words[0], said + 1, 1), 1);
  const auto start = std::chrono::steady_clock::now();
  kill(process, GetParam());
  // The pipe closes when the last process that holds it has ended: parent and workers.
  const ssize_t rest = read(words[0], said + 2, 1);
  if (rest == 1) {
    EXPECT_EQ(read(words[0], said + 2, 1), 0);
  }
  // Should be immediate; the limit of some seconds is for a busy machine.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(rest == 1, GetParam() != SIGKILL) << "the process reports its end unless it is killed";
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), GetParam());
  close(words[0]);
}

INSTANTIATE_TEST_SUITE_P(Signals, Signalled, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL));

}  // namespace
}  // namespace opledger::scan
