// Finds the operators that a framework's pages and tests name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/precision_list/precision_list.h"
#include "registry/source/source.h"

namespace opledger {

// Fills `documented` and `tested` from `documented_in` and `tested_in`. If a file or section is
// missing or unreadable, its record has a problem.
void ReadNamedOperators(const Source& source, PrecisionList& list);

}  // namespace opledger
