// Reads lists that are macros, in which each row of the body calls the macro's parameter.
//   #define FP32(_) _(exp) _(pow, Scalar)  ->  FP32: exp, pow.Scalar
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/dialect/cpp_lists.h"

namespace opledger::scan {

// If the first argument of a row is a call, the row's name is a string among the arguments;
// otherwise it is the arguments, joined by '.'. A NUL byte must follow `text`.
std::vector<CppList> FindMacroLists(std::string_view text);

}  // namespace opledger::scan
