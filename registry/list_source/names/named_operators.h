// Looks up what a list says of pages and tests of its framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/precision_list/precision_list.h"
#include "registry/source/source.h"

namespace opledger {

// Fills `documented` and `tested` from `documented_in` and `tested_in`. A file or section that is
// not there, or cannot be read, is a record with a problem.
void ReadNamedOperators(const Source& source, PrecisionList& list);

}  // namespace opledger
