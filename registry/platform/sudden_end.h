// Ends the program when nothing can be allocated and no destructors run: in a signal handler, or
// without memory. Removes temporary files first, so that no incomplete files remain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

// Writes `text`, a rendered diagnostic, to standard error, removes the temporary files of this
// process, and exits with status 2. Safe in signal handlers.
[[noreturn]] void EndSuddenly(std::string_view text);

}  // namespace opledger
