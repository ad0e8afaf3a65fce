// Standard output as lines of replies to the program that started this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// Writes a line; an empty one is not written. From the first call on, what libraries print, for
// those who ask them to (ONEDNN_VERBOSE), goes to standard error: call it before they are used.
// False, with errno set, if the line cannot be written: the other program waits in vain, and this
// one is to end.
bool SendReply(const std::string& line);

}  // namespace opledger
