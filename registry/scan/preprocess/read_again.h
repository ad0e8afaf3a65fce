// Reading a file a second time, for facts: it must be what its outline was made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// In a worker: the bytes of a file of the tree, a NUL behind them. Gives the task up where they are
// not those of the outline: nothing found now would be true of what was read before.
std::string ReadAgain(const SourceTree& tree, int file);

// The same for a file that Clang opens: by its stamp.
void ExpectUnchanged(const SourceFile& file, const FileStamp& stamp);

}  // namespace opledger::scan
