// Replies keep the descriptor that standard output had. No stdio: its functions give up if a signal
// interrupts them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/replies.h"

#include <unistd.h>

#include <array>

#include "registry/files/files.h"
#include "registry/files/repeated.h"

namespace opledger {

bool SendReply(const std::string& line) {
  static const int kReplies = [] {
    const int kept = dup(STDOUT_FILENO);
    return kept >= 0 && Redirect(STDERR_FILENO, STDOUT_FILENO) ? kept : STDOUT_FILENO;
  }();
  return line.empty() || WriteAll(kReplies, line + "\n");
}

std::optional<std::string> Requests::Next() {
  std::array<char, 4096> buffer;
  std::size_t end = read_.find('\n');
  while (end == std::string::npos) {
    const int count = Repeated([&] { return read(STDIN_FILENO, buffer.data(), buffer.size()); });
    if (count <= 0) return std::nullopt;
    read_.append(buffer.data(), static_cast<std::size_t>(count));
    end = read_.find('\n');
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace opledger
