// Ends the program in an emergency. Temporary files are in a table that can be read at any time.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sudden_end.h"

#include <unistd.h>

#include <cerrno>

#include "registry/files/temporary_file.h"

namespace opledger {

void EndSuddenly(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) break;
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  RemoveTemporaryFiles();
  _exit(2);
}

}  // namespace opledger
