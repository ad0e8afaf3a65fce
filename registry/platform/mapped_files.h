// Watches memory-mapped files. If another program shortens such a file, reading the missing bytes
// raises SIGBUS. For watched files this ends the program with an error message and exit status 2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace opledger {

// Declares that the `size` bytes at `memory` map the file `path`, until they are unmapped.
void WatchMapping(const void* memory, std::size_t size, const std::string& path);
void UnwatchMapping(const void* memory);

}  // namespace opledger
