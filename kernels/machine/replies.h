// Standard output as lines of replies to another program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// From the first call on what libraries print, for those who ask them to (ONEDNN_VERBOSE), goes to
// standard error: call it before they are used. Writes a line; empty: none. False: nobody reads it.
bool SendReply(const std::string& line);

}  // namespace opledger
