// Handles the limits on memory and stack with which a program is started (`ulimit`).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace opledger {

// Must be called by main() after HoldStandardStreams(). Afterward, the program ends with an error
// message (with the hint `remedy`) and exit status 2 if it runs out of memory. If the stack limit
// is too small, the program restarts with a larger one or, if that is not allowed, ends with an
// error message and exit status 2.
void PrepareForLimits(char** argv, const std::string& remedy);

// Ends the program in this way. Call PrepareForLimits() first.
[[noreturn]] void EndWithoutMemory();

// Ends the program in this way if less memory than this is available. For libraries that crash if
// they run out of memory.
void RequireMemory(std::size_t bytes);

}  // namespace opledger
