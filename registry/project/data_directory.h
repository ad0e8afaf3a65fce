// Where the shipped files (dialects, lists, schemas) and the sibling programs are: found from the
// running program's own place, never through PATH.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

// The folder that holds dialects/ and lists/: PROGRAM/../share/opledger.
std::string DataDirectory();

// The path of a sibling program ("opledger-scan"), beside /proc/self/exe.
std::string SiblingProgram(const std::string& name);

// The shipped precision lists of a dialect, sorted.
std::vector<std::string> ShippedLists(const std::string& dialect);

}  // namespace opledger
