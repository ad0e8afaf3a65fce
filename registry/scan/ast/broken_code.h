// Extracts the words of code that does not compile. Such code cannot be followed, so it is assumed
// to do anything with whatever it names.
//   names.push_back(missing::kName);  ->  names push_back missing kName
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "registry/scan/ast/ast.h"

namespace opledger::scan::ast {

struct Words {
  std::vector<std::string> names;
  std::vector<int> records;  // record numbers
};

// Ignores string and character literals.
Words WordsOf(llvm::StringRef text);

class BrokenCode {
 public:
  BrokenCode(clang::ASTContext& context, const Errors& errors)
      : context_(context), errors_(errors) {}

  // The text that a block's statements leave out. The key is the number of statements before it.
  using Gaps = std::map<std::size_t, std::string>;
  const Gaps& GapsOf(const clang::CompoundStmt* block);
  // Returns the text of a range that has errors, or an empty string if it has none. Blocks inside
  // it are blanked, since they have gaps of their own.
  std::string Around(clang::SourceRange range, const clang::Stmt* statement = nullptr) const;
  // Returns the text between two locations. `behind`: starts after the token at `begin`. Returns an
  // empty string if the range is not in the main file.
  std::string Text(clang::SourceLocation begin, clang::SourceLocation end, bool behind) const;

 private:
  clang::ASTContext& context_;
  const Errors& errors_;
  std::map<const clang::CompoundStmt*, Gaps> gaps_;
};

}  // namespace opledger::scan::ast
