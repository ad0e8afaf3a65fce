// Ctrl-C and SIGTERM are recorded, and no thread that computes runs a handler.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/stop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "kernels/machine/parallel.h"
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace opledger {
namespace {

// Returns a set of signals of a thread, as the kernel prints it; `field`: "SigBlk:", "SigCgt:".
std::uint64_t SignalsOf(const std::filesystem::path& thread, const std::string& field) {
  std::ifstream file(thread / "status");
  for (std::string word; file >> word;) {
    if (word == field && file >> word) return std::stoull(word, nullptr, 16);
  }
  ADD_FAILURE() << thread << " has no " << field;
  return 0;
}

constexpr std::uint64_t kBoth = 1ULL << (SIGINT - 1) | 1ULL << (SIGTERM - 1);

void WaitForSignal(const Stop& stop) {
  for (int i = 0; i < 1000 && stop.Signal() == 0; ++i) usleep(10'000);
}

// In processes of their own, because a signal that was received stays recorded.
class StopDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

void BeginThreads() {
  SetThreads(4);
  RunParts(
      4, [](const void*, std::size_t) {}, nullptr);
#if defined(_OPENMP)
#pragma omp parallel num_threads(4)
  usleep(1);
#endif
}

// A handler's frame would overwrite what generated code keeps below the stack pointer.
[[noreturn]] void CheckThreads() {
  const Stop stop(std::nullopt);
  BeginThreads();
  int threads = 0;
  int receivers = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    ++threads;
    receivers += (SignalsOf(thread.path(), "SigBlk:") & kBoth) != kBoth ? 1 : 0;
    if ((SignalsOf(thread.path(), "SigCgt:") & kBoth) != 0) _exit(2);
  }
  if (receivers > 1) _exit(1);  // the kernel unblocks signals in a thread that waits for them
  _exit(threads > 4 ? 0 : 3);
}

TEST_F(StopDeathTest, NoThreadHandlesSignals) {
  EXPECT_EXIT(CheckThreads(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void RecordFirst() {
  int status = 0;
  {
    const Stop outer(std::nullopt);
    const Stop stop(std::nullopt);
    BeginThreads();
    if (stop.Asked()) status = 1;
    kill(getpid(), SIGTERM);
    WaitForSignal(stop);
    if (!stop.Asked() || outer.Signal() != SIGTERM) status = 2;
  }
  if ((SignalsOf("/proc/self", "SigBlk:") & kBoth) != 0) status = 3;
  _exit(status);
}

TEST_F(StopDeathTest, RecordsTheFirstSignal) {
  EXPECT_EXIT(RecordFirst(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void SendTwo() {
  const Stop stop(std::nullopt);
  kill(getpid(), SIGTERM);
  WaitForSignal(stop);
  kill(getpid(), SIGINT);
  usleep(10'000'000);
  _exit(1);
}

TEST_F(StopDeathTest, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(SendTwo(), testing::KilledBySignal(SIGINT), "");
}

[[noreturn]] void IgnoreOne() {
  signal(SIGINT, SIG_IGN);
  const Stop stop(std::nullopt);
  kill(getpid(), SIGINT);
  kill(getpid(), SIGTERM);
  WaitForSignal(stop);
  _exit(stop.Signal() == SIGTERM ? 0 : 1);
}

TEST_F(StopDeathTest, IgnoredSignalsStayIgnored) {
  EXPECT_EXIT(IgnoreOne(), testing::ExitedWithCode(0), "");
}

TEST(Stop, EndsWithItsTime) {
  EXPECT_FALSE(Stop(1000).Asked());
  EXPECT_TRUE(Stop(0).Asked());
  EXPECT_GT(Stop(1e300).Left(), 1e7);
}

}  // namespace
}  // namespace opledger
