// Waits for programs. Time is counted in short rounds of waiting, so that time during which this
// process was stopped (Ctrl-Z) does not count.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/child_watch.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <sstream>
#include <string>

#include "registry/files/files.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

constexpr double kRound = 0.5;         // seconds per poll
constexpr double kSilentAfterEnd = 2;  // seconds of silence after which the output is complete
constexpr double kMostAfterEnd = 10;   // seconds for which other processes may keep writing
constexpr double kGrace = 2;           // seconds between SIGTERM and SIGKILL
constexpr int kDeepest = 4;            // levels of descendants
constexpr std::size_t kLargestList = 1 << 16;

using Clock = std::chrono::steady_clock;

std::optional<std::int64_t> NanosecondsOf(pid_t process) {
  clockid_t clock = 0;
  timespec used = {};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    return std::nullopt;
  }
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

// Returns the processor time of a process and its descendants, or nullopt if unknown.
std::optional<std::int64_t> WorkOf(pid_t process, int depth) {
  std::optional<std::int64_t> sum = NanosecondsOf(process);
  if (!sum || depth == 0) return sum;
  const std::string id = std::to_string(process);
  Diagnostics ignored;  // without the list, only the program's own time counts
  const auto list =
      ReadFile("/proc/" + id + "/task/" + id + "/children", kLargestList, ignored).value_or("");
  std::istringstream children(list);
  for (pid_t child = 0; children >> child;) *sum += WorkOf(child, depth - 1).value_or(0);
  return sum;
}

}  // namespace

ChildWatch::ChildWatch(pid_t process, SilenceLimit limit)
    : process_(process),
      limit_(limit),
#if defined(SYS_pidfd_open)
      descriptor_(static_cast<int>(syscall(SYS_pidfd_open, process, 0)))
#else
      descriptor_(-1)
#endif
{
}

ChildWatch::~ChildWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ChildWatch::HasEnded() {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == process_;
}

// Returns whether it has worked since the last call. Assumes so if unknown.
bool ChildWatch::HasWorked() {
  const auto now = WorkOf(process_, kDeepest);
  const bool has = !now || *now != worked_;
  worked_ = now.value_or(-1);
  return has;
}

// Decides after `waited` more seconds. Returns kReady if nothing is wrong.
ChildWatch::Event ChildWatch::Judge(double waited, bool answered) {
  silent_ = answered ? 0 : silent_ + waited;
  unchecked_ += waited;
  if (ended_) {
    ended_for_ += waited;
    silent_end_ = answered ? 0 : silent_end_ + waited;
    if (silent_end_ >= kSilentAfterEnd) return Event::kLeftOpen;
    return ended_for_ >= kMostAfterEnd ? Event::kHeldOpen : Event::kReady;
  }
  const bool over = limit_.seconds > 0 && silent_ >= limit_.seconds;
  if (unchecked_ < kRound && !over) return Event::kReady;
  unchecked_ = 0;
  ended_ = HasEnded();
  if (ended_ || limit_.seconds <= 0) return Event::kReady;
  if (limit_.work_counts && HasWorked()) {
    silent_ = 0;
    return Event::kReady;
  }
  return over ? Event::kSilent : Event::kReady;
}

ChildWatch::Event ChildWatch::Wait(std::span<pollfd> files, std::size_t of_child) {
  for (;;) {
    double round = kRound;
    if (limit_.seconds > 0) round = std::min(round, std::max(limit_.seconds - silent_, 0.0));
    const auto begin = Clock::now();
    const int ready = poll(files.data(), files.size(), static_cast<int>(round * 1000) + 1);
    if (ready < 0 && errno != EINTR) return Event::kFailed;
    const std::chrono::duration<double> waited = Clock::now() - begin;
    const bool answered = ready > 0 && std::any_of(files.begin(), files.begin() + of_child,
                                                   [](const pollfd& f) { return f.revents != 0; });
    const Event event = Judge(std::min(waited.count(), 2 * kRound), answered);
    if (event != Event::kReady || ready > 0) return event;
  }
}

std::optional<int> ChildWatch::WaitForEnd() {
  constexpr int kPause = 5;  // milliseconds, if the process has no descriptor
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) return status;
    pollfd file = {descriptor_, POLLIN, 0};
    const auto begin = Clock::now();
    const bool known = descriptor_ >= 0;
    if (poll(&file, 1, known ? static_cast<int>(kRound * 1000) : kPause) < 0 && errno != EINTR) {
      usleep(kPause * 1000);
    }
    const std::chrono::duration<double> waited = Clock::now() - begin;
    if (Judge(std::min(waited.count(), 2 * kRound), false) == Event::kSilent) return std::nullopt;
    ended_ = false;  // waitpid detects the end
  }
}

int ChildWatch::End() {
  const bool leads = getpgid(process_) == process_;
  const pid_t target = leads ? -process_ : process_;
  // A sandbox may forbid killing. The child then ends when this process does.
  if (kill(target, SIGTERM) != 0 && errno == EPERM) return 0;
  limit_ = {kGrace, false};
  silent_ = 0;
  std::optional<int> status = WaitForEnd();
  if (leads || !status) kill(target, SIGKILL);  // also kills the rest of the group
  int killed = 0;
  while (!status && waitpid(process_, &killed, 0) < 0 && errno == EINTR) {
  }
  return status.value_or(killed);
}

}  // namespace opledger
