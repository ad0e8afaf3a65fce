// Replies, as lines on standard output, to the program that started this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// Writes a line, unless it is empty. The first call redirects the standard output of libraries
// (ONEDNN_VERBOSE) to standard error, so call it before they are used. Returns false, with errno
// set, if the line cannot be written; the program should then end, since the other one waits in
// vain.
bool SendReply(const std::string& line);

}  // namespace opledger
