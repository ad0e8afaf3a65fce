// Finds lists of strings that functions build and variables hold, without compiling: literals in
// braced initializers, and arguments of insert, emplace, push_back and similar methods.
//   Set<string> Allow() { Set<string> list{"Exp" "Log"}; list.insert("Sum"); ... }
//     -> Allow: "ExpLog" (joined), "Sum"
// Both branches of a run-time `if` count; each branch of an #if counts with its condition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/dialect/cpp_lists.h"

namespace opledger::scan {

// Returns the lists in file order, without those that have no strings. If a list's function calls
// another function of the file that builds a list, it has the strings of both. A NUL byte must
// follow `text`.
std::vector<CppList> FindCppLists(std::string_view text);

}  // namespace opledger::scan
