// What a function returns first, by name:
//   return [MIXED_PRECISION_ALWAYS] + out_dtypes(node)      ->  "MIXED_PRECISION_ALWAYS"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/python/ast.h"

namespace opledger::scan {

// The name that every `return` of the function begins with: the value itself, or the first element
// of a list or tuple that others may be added to. Empty if they differ, or begin with something
// else.
std::string ReturnedName(const PythonTree& tree, PythonId function);

}  // namespace opledger::scan
