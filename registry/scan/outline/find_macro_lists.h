// Reads lists that are macros: each row of the body calls the macro's parameter.
//   #define FP32(_) _(exp) _(pow, Scalar)  ->  FP32: exp, pow.Scalar
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/dialect/cpp_lists.h"

namespace opledger::scan {

// A NUL byte must follow `text`. A row's name is a string among its arguments, if the first one is
// a call; else its arguments, with '.' between them.
std::vector<CppList> FindMacroLists(std::string_view text);

}  // namespace opledger::scan
