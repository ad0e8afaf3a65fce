// A signal handler cannot remove a folder, so a separate process waits for this one to end and
// removes it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/temporary_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "registry/files/repeated.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

void Remove(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

// Closes the descriptors above `last`. The kernel or container may lack close_range.
void CloseAllAbove(int last) {
  const auto first = static_cast<unsigned>(last) + 1;
  if (syscall(SYS_close_range, first, UINT_MAX, 0U) == 0) return;
  constexpr long kMostLooked = 1L << 16;
  const long end = std::min(sysconf(_SC_OPEN_MAX), kMostLooked);
  for (long each = first; each < end; ++each) close(static_cast<int>(each));
}

// Makes the folder, sends its path, and removes it when the other process ends, which closes `end`.
// Starts a session first, so that no signal to the process group reaches it.
[[noreturn]] void MakeAndRemove(std::string pattern, int end, int path) {
  setsid();
  for (const int number : kSignals) signal(number, SIG_IGN);
  if (mkdtemp(pattern.data()) == nullptr) _exit(1);
  const auto size = static_cast<ssize_t>(pattern.size());
  bool used = write(path, pattern.data(), pattern.size()) == size;
  close(path);
  // Keep no other descriptor of the first process, so that readers of its output see the end.
  used = used && Redirect(end, STDIN_FILENO);
  if (used) CloseAllAbove(STDIN_FILENO);
  char byte = 0;
  while (used && read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  Remove(pattern);
  _exit(0);
}

struct Watched {
  std::string path;  // empty: it could not be made
  int alive = -1;    // the end to keep open
};

// Reads a pipe until it is closed; returns an empty string if reading fails.
std::string ReadAll(int pipe) {
  std::string said;
  char some[256];
  for (;;) {
    const ssize_t got = read(pipe, some, sizeof some);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) return said;
    said.append(some, static_cast<std::size_t>(got));
  }
}

// Forks twice, so that nobody has to wait for the process that makes the folder.
Watched MakeWatched(const std::string& pattern) {
  int ends[2];
  int paths[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  if (pipe2(paths, O_CLOEXEC) != 0) {
    for (const int end : ends) close(end);
    return {};
  }
  const pid_t first = fork();
  if (first == 0) {
    if (fork() != 0) _exit(0);
    close(ends[1]);
    MakeAndRemove(pattern, ends[0], paths[1]);
  }
  close(ends[0]);
  close(paths[1]);
  while (first > 0 && waitpid(first, nullptr, 0) < 0 && errno == EINTR) {
  }
  Watched made{MadeFrom(pattern, ReadAll(paths[0])), ends[1]};
  close(paths[0]);
  return made;
}

}  // namespace

std::string MadeFrom(const std::string& pattern, std::string path) {
  constexpr std::size_t kChosen = 6;
  const bool made = path.size() == pattern.size() && pattern.size() > kChosen &&
                    path.starts_with(pattern.substr(0, pattern.size() - kChosen));
  return made ? std::move(path) : std::string();
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::string pattern = (fs::temp_directory_path(error) / "opledger-XXXXXX").string();
  if (error) return;
  Watched made = MakeWatched(pattern);
  path_ = std::move(made.path);
  alive_ = made.alive;
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) Remove(path_);
  if (alive_ >= 0) close(alive_);
}

}  // namespace opledger
