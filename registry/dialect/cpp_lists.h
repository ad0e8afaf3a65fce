// Lists of strings in C++ source, as opledger-scan hands them to opledger import.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// One element. Places are byte offsets into the file.
struct CppString {
  std::string text;
  bool joined = false;  // of several adjacent literals
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string condition;  // of the #ifs around it; empty: always
};

// What a function builds or a variable holds.
struct CppList {
  std::string name;  // "Lists::Allow": with the classes around it, without namespaces
  std::size_t begin = 0;
  std::size_t end = 0;  // of the name
  std::vector<CppString> strings;
  bool called = false;  // by a function that builds another list, which has its strings too
  std::vector<std::size_t> removed;  // where it changes in a way that is not read
};

std::string PackCppLists(const std::vector<CppList>& lists);
std::optional<std::vector<CppList>> UnpackCppLists(std::string_view bytes);

}  // namespace opledger
