// Replies are written to the descriptor that standard output had originally.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/replies.h"

#include <unistd.h>

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

}  // namespace opledger
