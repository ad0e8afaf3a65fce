// Reads a file again, for facts, and checks that its outline was made from the same content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Returns the bytes of a file of the tree, followed by a NUL. Fails the worker's task if they are
// not those that the outline was made from.
std::string ReadAgain(const SourceTree& tree, int file);

// Checks a file that Clang opens, by its stamp.
void ExpectUnchanged(const SourceFile& file, const FileStamp& stamp);

}  // namespace opledger::scan
