// Whether lists that functions build and variables hold are read in full: each use of such a
// variable must be one whose effect is known.
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

// A variable with an initialiser in braces.
struct ListVariable {
  std::string name;
  std::size_t declared = 0;  // where its name begins there
  bool constant = false;
  bool has_strings = false;
  std::size_t odd = 0;  // an element that is no literal; 0: none
};

// What one list is read from: the body of a function, or a variable outside of functions.
struct ListScope {
  std::size_t list = 0;
  bool is_function = false;
  std::size_t begin = 0;  // of the body; of a variable what declares it
  std::size_t end = 0;
  std::vector<ListVariable> variables;
};

// Adds to `removed` of each list the uses whose effect is not known. `lists` holds every function
// of the text, also those without strings. A NUL byte must follow `text`.
void CheckListUses(std::string_view text, const std::vector<ListScope>& scopes,
                   std::vector<CppList>& lists);

}  // namespace opledger::scan
