// Finds the lists of strings that functions build and variables hold, without compiling: literals
// in brace-enclosed initialisers, and arguments of insert, emplace, push_back and the like.
//   Set<string> Allow() { Set<string> list{"Exp" "Log"}; list.insert("Sum"); ... }
//     -> Allow: "ExpLog" (joined), "Sum"
// Under a run-time `if` both sides count; under #if each with its condition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/dialect/cpp_lists.h"

namespace opledger::scan {

// In the order of the file; lists without strings are left out. A list whose function calls another
// function of the file that builds one has the strings of both. A NUL byte must follow `text`.
std::vector<CppList> FindCppLists(std::string_view text);

}  // namespace opledger::scan
