// Lists of strings in C++ source, as opledger-scan passes them to opledger import.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opledger {

// One element of a list. Positions are byte offsets into the file.
struct CppString {
  std::string text;
  bool joined = false;  // from several adjacent literals
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string condition;  // of the surrounding #ifs; empty: always
};

// The strings that a function returns or a variable holds.
struct CppList {
  std::string name;  // "Lists::Allow": qualified by classes, not by namespaces
  std::size_t begin = 0;
  std::size_t end = 0;  // of the name
  std::vector<CppString> strings;
  bool called = false;  // by a function that builds another list, which includes these strings
  std::vector<std::size_t> removed;  // positions of changes that cannot be interpreted
};

// For messages between processes. UnpackCppLists returns nullopt if the bytes are damaged.
std::string PackCppLists(const std::vector<CppList>& lists);
std::optional<std::vector<CppList>> UnpackCppLists(std::string_view bytes);

}  // namespace opledger
