// Runs a program connected by a socket pair: unlike a pipe, writing to a closed socket need not
// raise a signal.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/child_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "registry/files/repeated.h"
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
    if (Redirect(ends[1], STDIN_FILENO) && Redirect(ends[1], STDOUT_FILENO)) {
      execvp(pointers[0], pointers.data());
    }
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

void ChildProcess::End(std::string problem) {
  close(std::exchange(socket_, -1));
  ChildWatch(process_, {}).End();
  process_ = -1;
  problem_ = std::move(problem);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      process_(std::exchange(other.process_, -1)),
      problem_(std::move(other.problem_)),
      read_(std::move(other.read_)) {}

void ChildProcess::Say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const int count = Repeated(
        [&] { return send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL); });
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      shutdown(socket_, SHUT_WR);  // it no longer reads; NextLine() returns what it wrote before
      return;
    }
    if (count < 0) {
      return End("sending it a request failed: " + std::string(std::strerror(errno)));
    }
    sent += static_cast<std::size_t>(count);
  }
}

std::optional<std::string> ChildProcess::NextLine() {
  constexpr std::size_t kLongest = std::size_t{16} << 20;
  constexpr const char* kSilent = "it was inactive for a minute";
  if (process_ <= 0) return std::nullopt;
  std::array<char, 4096> buffer;
  ChildWatch watch(process_, {});
  std::size_t end = read_.find('\n');
  while (end == std::string::npos) {
    pollfd file = {socket_, POLLIN, 0};
    const ChildWatch::Event event = watch.Wait({&file, 1}, 1);
    const bool endless = read_.size() > kLongest;
    if (event == ChildWatch::Event::kSilent || endless) {
      End(endless ? "its reply is too long" : kSilent);
      return std::nullopt;
    }
    if (event != ChildWatch::Event::kReady) return std::nullopt;
    const int count = Repeated([&] { return recv(socket_, buffer.data(), buffer.size(), 0); });
    if (count <= 0) return std::nullopt;
    read_.append(buffer.data(), static_cast<std::size_t>(count));
    end = read_.find('\n');
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace opledger
