// Waiting for programs that hang, work, or leave a child on their pipe.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/child_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>

namespace opledger {
namespace {

using Event = ChildWatch::Event;

struct Started {
  pid_t process = -1;
  int output = -1;
};

Started Start(const std::function<void()>& work) {
  std::array<int, 2> ends = {};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    work();
    _exit(7);
  }
  close(ends[1]);
  return {process, ends[0]};
}

Event WaitFor(ChildWatch& watch, const Started& started) {
  pollfd file = {started.output, POLLIN, 0};
  return watch.Wait({&file, 1}, 1);
}

TEST(ChildWatch, TellsSilenceFromWork) {
  const Started asleep = Start([] { pause(); });
  ChildWatch silent(asleep.process, {0.3, true});
  EXPECT_EQ(WaitFor(silent, asleep), Event::kSilent);
  EXPECT_TRUE(WIFSIGNALED(silent.End()));
  const Started busy = Start([] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  ChildWatch working(busy.process, {0.3, true});
  EXPECT_EQ(WaitFor(working, busy), Event::kReady);  // the process ended
  EXPECT_EQ(WEXITSTATUS(working.WaitForEnd().value_or(-1)), 7);
  const Started other = Start([] {
    for (;;) {
    }
  });
  ChildWatch by_output(other.process, {0.3, false});
  EXPECT_EQ(WaitFor(by_output, other), Event::kSilent);
  by_output.End();
  for (const Started& each : {asleep, busy, other}) close(each.output);
}

TEST(ChildWatch, GoesOnWithoutWhatIsLeftOnThePipe) {
  const Started left = Start([] {
    if (fork() == 0) {
      close(STDERR_FILENO);  // or what runs this test waits for it, too
      alarm(60);
      pause();
    }
  });
  ChildWatch watch(left.process, {60, true});
  EXPECT_EQ(WaitFor(watch, left), Event::kLeftOpen);
  EXPECT_EQ(WEXITSTATUS(watch.WaitForEnd().value_or(-1)), 7);
  close(left.output);
}

TEST(ChildWatch, KillsWhatDoesNotEnd) {
  const Started deaf = Start([] {
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  });
  usleep(100'000);
  ChildWatch watch(deaf.process, {0.1, true});
  EXPECT_FALSE(watch.WaitForEnd().has_value());
  EXPECT_EQ(WTERMSIG(watch.End()), SIGKILL);
  close(deaf.output);
}

}  // namespace
}  // namespace opledger
