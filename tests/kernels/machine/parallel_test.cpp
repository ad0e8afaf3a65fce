// A loop of a few parts uses as many threads as it has parts, each part runs once, and small loops
// use a single OpenMP thread.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/parallel.h"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>
#if defined(_OPENMP)
#include <omp.h>
#endif

namespace opledger {
namespace {

class Parallel : public testing::Test {
 protected:
  void SetUp() override { SetThreads(4); }
  void TearDown() override { SetThreads(static_cast<int>(before_)); }

  std::size_t before_ = Threads();
};

double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

TEST_F(Parallel, EachPieceOnceInAsManyThreadsAsParts) {
  for (int round = 0; round < 200; ++round) {
    for (const std::size_t count : {1, 10, 27, 40, 1000}) {
      std::vector<std::atomic<int>> seen(count);
      std::mutex mutex;
      std::set<std::thread::id> threads;
      std::set<std::size_t> parts;
      ForParts(count, 10, [&](std::size_t begin, std::size_t end, std::size_t part) {
        for (std::size_t i = begin; i < end; ++i) ++seen[i];
        ForParts(40, 10,
                 [&](std::size_t, std::size_t, std::size_t inner) { EXPECT_LT(inner, 4U); });
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        parts.insert(part);
      });
      for (const auto& each : seen) ASSERT_EQ(each, 1);
      EXPECT_EQ(parts.size(), PartCount(count, 10));
      EXPECT_EQ(threads.size(), PartCount(count, 10));
    }
  }
}

TEST_F(Parallel, WaitingCostsNoTime) {
  const auto sleep_in_one = [](std::size_t, std::size_t, std::size_t part) {
    if (part == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  };
  const double begin = CpuSeconds();
  ForParts(4, 1, sleep_in_one);
  EXPECT_LT(CpuSeconds() - begin, 0.1);
}

#if defined(_OPENMP)
TEST_F(Parallel, OpenMpHasOneThreadForLittleWork) {
  {
    const OpenMpThreads threads(1000);
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), 4);
  const OpenMpThreads threads(std::size_t{1} << 30);
  EXPECT_EQ(omp_get_max_threads(), 4);
}
#endif

}  // namespace
}  // namespace opledger
