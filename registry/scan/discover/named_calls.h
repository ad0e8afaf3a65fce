// Calls in C++ that are given names where registrations stand: outside functions, in the blocks
// that macros open there, and calls of `Register...` anywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "registry/scan/discover/discover.h"

namespace opledger::scan {

// The uses, and the macros that the text defines. A NUL byte must follow `text` in memory.
FileUses FindNamedCalls(std::string_view text);

}  // namespace opledger::scan
