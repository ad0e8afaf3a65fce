// Finds the text that Clang leaves out of the tree, or keeps only in part, because it does not
// compile.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ast/broken_code.h"

#include <algorithm>
#include <cctype>

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "registry/scan/ast/effects.h"

namespace opledger::scan::ast {

Words WordsOf(llvm::StringRef text) {
  Words words;
  auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  while (!text.empty()) {
    if (text.front() == '"' || text.front() == '\'') {
      const char quote = text.front();
      std::size_t end = 1;
      while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
      text = text.drop_front(std::min(end + 1, text.size()));
      continue;
    }
    const llvm::StringRef word = text.take_while(is_word);
    text = text.drop_front(std::max<std::size_t>(1, word.size()));
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0) continue;
    words.names.push_back(word.str());
    int number = -1;
    llvm::StringRef rest = text.ltrim(" (\n");
    if ((word == kRecord || word == kRecordValue) && !rest.consumeInteger(10, number))
      words.records.push_back(number);
  }
  return words;
}

namespace {

// Removes line markers (# 12 "file.cc") from preprocessed text.
std::string WithoutDirectives(llvm::StringRef text) {
  std::string kept;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    if (!line.ltrim().starts_with("#")) kept += (line + "\n").str();
    text = rest;
  }
  if (!kept.empty()) kept.pop_back();
  return kept;
}

}  // namespace

std::string BrokenCode::Text(clang::SourceLocation begin, clang::SourceLocation end,
                             bool behind) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  if (begin.isInvalid() || end.isInvalid()) return {};
  begin = behind ? sources.getExpansionRange(begin).getEnd() : sources.getExpansionLoc(begin);
  end = sources.getExpansionLoc(end);
  if (!sources.isWrittenInMainFile(begin) || !sources.isWrittenInMainFile(end)) return {};
  std::size_t from = sources.getFileOffset(begin);
  if (behind) from += clang::Lexer::MeasureTokenLength(begin, sources, context_.getLangOpts());
  const std::size_t to = sources.getFileOffset(end);
  if (from >= to) return {};
  return WithoutDirectives(sources.getBufferData(sources.getMainFileID()).slice(from, to));
}

namespace {

// Returns whether the parser could not build a part of the statement. It reported an error for that
// part, here or elsewhere.
bool IsDamaged(const clang::Stmt* statement) {
  if (const auto* declares = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    return std::any_of(declares->decl_begin(), declares->decl_end(), [](const clang::Decl* one) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(one);
      const clang::Expr* initial = variable != nullptr ? variable->getInit() : nullptr;
      return one->isInvalidDecl() || (initial != nullptr && initial->containsErrors());
    });
  }
  if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
    return expression->containsErrors();
  }
  const clang::Expr* condition = nullptr;
  if (const auto* one = llvm::dyn_cast<clang::IfStmt>(statement)) condition = one->getCond();
  if (const auto* one = llvm::dyn_cast<clang::WhileStmt>(statement)) condition = one->getCond();
  if (const auto* one = llvm::dyn_cast<clang::ForStmt>(statement)) condition = one->getCond();
  if (const auto* one = llvm::dyn_cast<clang::DoStmt>(statement)) condition = one->getCond();
  if (const auto* one = llvm::dyn_cast<clang::SwitchStmt>(statement)) condition = one->getCond();
  if (condition == nullptr) return false;
  return condition->containsErrors() ||
         llvm::isa<clang::OpaqueValueExpr>(condition->IgnoreParenImpCasts());
}

}  // namespace

const BrokenCode::Gaps& BrokenCode::GapsOf(const clang::CompoundStmt* block) {
  const auto added = gaps_.try_emplace(block);
  Gaps& gaps = added.first->second;
  if (!added.second || block->getLBracLoc().isInvalid()) return gaps;
  clang::SourceLocation from = block->getLBracLoc();
  std::size_t place = 0;
  auto note = [&](clang::SourceLocation to) {
    std::string text = Text(from, to, true);
    if (text.find_first_not_of("; \n\t{}") != std::string::npos) gaps[place] += text;
  };
  for (const clang::Stmt* statement : block->body()) {
    note(statement->getBeginLoc());
    from = statement->getEndLoc();
    ++place;
    const std::string broken = Around(statement->getSourceRange(), statement);
    if (!broken.empty()) gaps[place] += " " + broken;
  }
  note(block->getRBracLoc());
  return gaps;
}

std::string BrokenCode::Around(clang::SourceRange range, const clang::Stmt* statement) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  if (range.isInvalid() ||
      !sources.isWrittenInMainFile(sources.getExpansionLoc(range.getBegin()))) {
    return {};
  }
  auto place = [&](clang::SourceLocation at) {
    return sources.getFileOffset(sources.getExpansionLoc(at));
  };
  const unsigned begin = place(range.getBegin());
  auto first = errors_.places.lower_bound(begin);
  const unsigned end =
      std::max(begin + 1, place(sources.getExpansionRange(range.getEnd()).getEnd()) + 1);
  const bool damaged = statement != nullptr && IsDamaged(statement);
  if (!damaged && (first == errors_.places.end() || *first >= end)) return {};
  std::string text = sources.getBufferData(sources.getMainFileID()).slice(begin, end).str();
  std::vector<unsigned> errors(first, errors_.places.lower_bound(end));
  std::vector<const clang::Stmt*> open{statement};
  while (!open.empty()) {
    const clang::Stmt* one = open.back();
    open.pop_back();
    if (one == nullptr) continue;
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(one)) one = lambda->getBody();
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(one)) {
      const unsigned from = place(block->getLBracLoc());
      const unsigned to = place(block->getRBracLoc());
      std::erase_if(errors, [&](unsigned at) { return from < at && at < to; });
      for (unsigned at = from; at < to && at - begin < text.size(); ++at) text[at - begin] = ' ';
      continue;
    }
    open.insert(open.end(), one->child_begin(), one->child_end());
  }
  return errors.empty() && !damaged ? std::string() : text;
}

}  // namespace opledger::scan::ast
