// Serves standard input and output in one thread: waits, reads everything, answers, then checks.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "checker/lsp/lsp.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/files/open_file.h"
#include "registry/files/repeated.h"

namespace opledger {
namespace {

// The client's ends of standard input and output, moved so that no other code reads or prints
// there.
class Connection {
 public:
  Connection()
      : input_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
        output_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const Descriptor nothing(OpenInput("/dev/null"));
    Redirect(nothing.get(), STDIN_FILENO);
    Redirect(STDERR_FILENO, STDOUT_FILENO);
  }

  int input() const { return input_.get(); }
  bool Send(std::string_view bytes) const { return WriteAll(output_.get(), bytes); }

  // Waits for input or its end, for at most `timeout` milliseconds; -1: forever. Returns whether
  // there is any. An error sets error().
  bool Waits(int timeout) {
    pollfd wait = {input_.get(), POLLIN, 0};
    const int ready = poll(&wait, 1, timeout);
    if (ready < 0 && errno != EINTR) error_ = errno;
    return ready > 0;
  }
  int error() const { return error_; }

  // Returns false if the client has gone.
  bool ReadInto(LanguageServer& server) {
    ssize_t count = 0;
    while ((count = read(input_.get(), buffer_.data(), buffer_.size())) < 0 && errno == EINTR) {
    }
    if (count <= 0) return false;
    server.Feed({buffer_.data(), static_cast<std::size_t>(count)});
    return true;
  }

 private:
  Descriptor input_;
  Descriptor output_;
  int error_ = 0;  // errno of a failed wait
  std::array<char, 65536> buffer_;
};

}  // namespace

int RunLanguageServer(const CheckOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  setenv("OPLEDGER_DIAGNOSTICS", "json", 1);  // for the scanner, whose messages are parsed
  Connection connection;
  LanguageServer server(options, [&](std::string_view bytes) { return connection.Send(bytes); });
  bool there = true;
  server.SetWake(connection.input(), [&] {
    there = there && connection.ReadInto(server);
    return there && !server.ends();
  });
  while (there && !server.ended()) {
    if (connection.Waits(server.Waits())) {
      do {
        there = connection.ReadInto(server);
      } while (there && connection.Waits(0));
    }
    if (connection.error() != 0) {
      std::fprintf(stderr, "error: cannot wait for the editor: %s\n",
                   std::strerror(connection.error()));
      return kExitFailed;
    }
    server.Work();
  }
  return server.status();
}

}  // namespace opledger
