// Ending the program where nothing can be allocated and no destructor runs: in a signal handler, or
// when there is no memory. What it was writing is removed first, so that nothing half written
// stays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

// Writes `text`, rendered as diagnostics are, to standard error, removes the temporary files of
// this process, and exits with 2. Safe in signal handlers.
[[noreturn]] void EndSuddenly(std::string_view text);

}  // namespace opledger
