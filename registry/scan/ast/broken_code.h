// The text of what does not compile, which nobody can follow: it may do anything with what it
// names.
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
  std::vector<int> records;  // their numbers
};

// Without strings and characters.
Words WordsOf(llvm::StringRef text);

class BrokenCode {
 public:
  BrokenCode(clang::ASTContext& context, const Errors& errors)
      : context_(context), errors_(errors) {}

  // What the statements of a block leave out, by place: 0 is before the first one.
  using Gaps = std::map<std::size_t, std::string>;
  const Gaps& GapsOf(const clang::CompoundStmt* block);
  // Of a range with errors: its text, without the blocks in it, which have gaps of their own.
  std::string Around(clang::SourceRange range, const clang::Stmt* statement = nullptr) const;
  // `behind`: from behind the token at `begin`. Empty where it is not the text of the unit.
  std::string Text(clang::SourceLocation begin, clang::SourceLocation end, bool behind) const;

 private:
  clang::ASTContext& context_;
  const Errors& errors_;
  std::map<const clang::CompoundStmt*, Gaps> gaps_;
};

}  // namespace opledger::scan::ast
