// Standard input and output as lines of requests and replies, for the program that started this
// one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace opledger {

// Writes a line; an empty one is not written. From the first call on, what libraries print, for
// those who ask them to (ONEDNN_VERBOSE), goes to standard error: call it before they are used.
// False, with errno set, if the line cannot be written: the other program waits in vain, and this
// one is to end.
bool SendReply(const std::string& line);

class Requests {
 public:
  // The next line of standard input, without its end. Returns nullopt at the end of the input, and
  // if it cannot be read.
  std::optional<std::string> Next();

 private:
  std::string read_;  // and not yet given
};

}  // namespace opledger
