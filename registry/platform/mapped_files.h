// Files that are mapped into memory. One that another program shortens meanwhile has no bytes any
// more where it had some, and reading them raises SIGBUS: for the files named here that is an
// error like any other, one sentence and exit status 2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace opledger {

// `size` bytes at `memory` are those of the file `path`, until they are unmapped.
void WatchMapping(const void* memory, std::size_t size, const std::string& path);
void UnwatchMapping(const void* memory);

}  // namespace opledger
