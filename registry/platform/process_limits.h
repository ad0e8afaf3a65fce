// What a program does about the limits that it is started with (`ulimit`): memory and stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace opledger {

// To be called by main() after HoldStandardStreams. From then on the program ends with one sentence
// and exit status 2 where it gets no memory; `remedy` is the hint. Where the limit of the stack is
// too small for what the program accepts, it starts once more with a larger one, or, where that is
// not allowed, ends with one sentence and exit status 2.
void PrepareForLimits(char** argv, const std::string& remedy);

// To be called after that: ends the program so.
[[noreturn]] void EndWithoutMemory();

// Likewise: ends the program in the same way where its limit of memory leaves less
// than this. For libraries that crash where they get none.
void RequireMemory(std::size_t bytes);

}  // namespace opledger
