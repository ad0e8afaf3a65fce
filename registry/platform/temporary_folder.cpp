// No handler of a signal can remove a folder, so a process of its own waits for the end of this
// one.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/temporary_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void Remove(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

// Waits for the end of the other process, holding nothing of it: who reads its output must not
// wait. In a session of its own no signal to the group reaches it.
[[noreturn]] void RemoveAtTheEnd(const std::string& folder, int end) {
  setsid();
  for (const int number : kSignals) signal(number, SIG_IGN);
  if (dup2(end, STDIN_FILENO) < 0) _exit(1);
  syscall(SYS_close_range, 1U, UINT_MAX, 0U);
  char byte = 0;
  ssize_t got = 0;
  while ((got = read(STDIN_FILENO, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (got == 0) Remove(folder);
  _exit(0);
}

// The process is nobody's child, so that nobody waits for it. Gives the end that is to stay open.
int WatchFor(const std::string& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t first = fork();
  if (first == 0) {
    if (fork() != 0) _exit(0);
    close(ends[1]);
    RemoveAtTheEnd(folder, ends[0]);
  }
  close(ends[0]);
  while (first > 0 && waitpid(first, nullptr, 0) < 0 && errno == EINTR) {
  }
  return ends[1];
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "opledger-XXXXXX").string();
  // A signal waits until somebody watches.
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  for (const int number : kSignals) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, &before);
  if (!error && mkdtemp(pattern.data()) != nullptr) {
    path_ = pattern;
    alive_ = WatchFor(path_);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) Remove(path_);
  if (alive_ >= 0) close(alive_);
}

}  // namespace opledger
