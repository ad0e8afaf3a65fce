// The test of an `if` in a Python module, as a condition over feature names.
//   Features().is_enabled('ONEDNN') and not x.instance.is_enabled('CUDA')  ->  !CUDA && ONEDNN
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "checker/import/python_cursor.h"
#include "registry/condition/condition.h"

namespace opledger {

// Reads up to the ':'. None where the test asks for anything else; the cursor is then somewhere
// before the ':' or the end of the line.
std::optional<Condition> ReadFeatureTest(PythonCursor& cursor);

}  // namespace opledger
