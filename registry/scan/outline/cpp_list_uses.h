// Checks whether lists that functions build and variables hold are read in full: the effect of each
// use of such a variable must be known.
//   list.insert("Exp"); return list;      known
//   list.clear(); list = Load(); Strip(list);      not known: the list is incomplete
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/cpp_lists.h"

namespace opledger::scan {

inline constexpr std::string_view kListAdders[] = {"insert", "emplace",      "push_back",
                                                   "append", "emplace_back", "Add"};

// A variable with a braced initializer.
struct ListVariable {
  std::string name;
  std::size_t declared = 0;  // offset of the declared name
  bool constant = false;
  bool has_strings = false;
  std::size_t odd = 0;  // offset of an element that is not a literal; 0 if there is none
};

// Where a list is read from: the body of a function, or a variable outside functions.
struct ListScope {
  std::size_t list = 0;
  bool is_function = false;
  std::size_t begin = 0;  // of the body, or of the variable's declaration
  std::size_t end = 0;
  std::vector<ListVariable> variables;
};

// Adds to `removed` of each list the uses whose effect is not known. `lists` contains every
// function of the text, including those without strings. A NUL byte must follow `text`.
void CheckListUses(std::string_view text, const std::vector<ListScope>& scopes,
                   std::vector<CppList>& lists);

}  // namespace opledger::scan
