// A pair of sockets: writing to one whose other end is gone raises no signal.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/child_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "registry/platform/child_watch.h"

namespace opledger {

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(ends[1]);
  socket_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (socket_ >= 0) close(socket_);
  if (process_ <= 0) return;
  ChildWatch watch(process_, {});
  if (!watch.WaitForEnd()) watch.End();
}

// At once, and for good.
void ChildProcess::End() {
  close(std::exchange(socket_, -1));
  ChildWatch(process_, {}).End();
  process_ = -1;
  silent_ = true;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      process_(std::exchange(other.process_, -1)),
      silent_(other.silent_),
      read_(std::move(other.read_)) {}

void ChildProcess::Say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return;  // it has ended, as NextLine says
    sent += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

std::optional<std::string> ChildProcess::NextLine() {
  constexpr std::size_t kLongest = std::size_t{16} << 20;
  if (process_ <= 0) return std::nullopt;
  std::array<char, 4096> buffer;
  ChildWatch watch(process_, {});
  std::size_t end = read_.find('\n');
  while (end == std::string::npos) {
    pollfd file = {socket_, POLLIN, 0};
    const ChildWatch::Event event = watch.Wait({&file, 1}, 1);
    if (event == ChildWatch::Event::kSilent || read_.size() > kLongest) {
      End();
      return std::nullopt;
    }
    if (event != ChildWatch::Event::kReady) return std::nullopt;
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    read_.append(buffer.data(), static_cast<std::size_t>(count));
    end = read_.find('\n');
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace opledger
