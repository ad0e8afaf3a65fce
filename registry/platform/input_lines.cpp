// Reads lines with read(), because stdio and iostreams fail if a signal interrupts them.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/input_lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "registry/files/repeated.h"

namespace opledger {

std::optional<std::string> InputLines::Next() {
  std::array<char, 4096> buffer;
  std::size_t end = read_.find('\n');
  while (end == std::string::npos) {
    const int count = Repeated([&] { return read(STDIN_FILENO, buffer.data(), buffer.size()); });
    if (count < 0) error_ = errno;
    if (count < 0 || (count == 0 && read_.empty())) return std::nullopt;
    if (count == 0) return std::exchange(read_, {});  // the last line has no line end
    read_.append(buffer.data(), static_cast<std::size_t>(count));
    end = read_.find('\n');
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace opledger
