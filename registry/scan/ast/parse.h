// C++ text -> Clang's syntax tree. What does not compile is left out of it, as Clang does for
// editors; nothing is read but the text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace opledger::scan::ast {

struct Errors {
  std::map<int, std::string> by_line;   // the first of each line of the text
  std::vector<std::string> undeclared;  // names, in order, once each
  std::string fatal;                    // what made Clang give up; empty: nothing
};

// Calls `read` with the tree and what did not compile.
void Parse(const std::string& text,
           const std::function<void(clang::ASTContext&, const Errors&)>& read);

}  // namespace opledger::scan::ast
