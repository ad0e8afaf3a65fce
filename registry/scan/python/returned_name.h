// Finds the name with which the value of a function begins:
//   return [MIXED_PRECISION_ALWAYS] + out_dtypes(node)      ->  "MIXED_PRECISION_ALWAYS"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/python/ast.h"

namespace opledger::scan {

// Returns the name with which every `return` of the function begins: the value itself, or the first
// element of a list or tuple to which others may be added. Returns "" if these differ, or if one
// begins with something else.
std::string ReturnedName(const PythonTree& tree, PythonId function);

}  // namespace opledger::scan
