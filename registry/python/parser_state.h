// The recursive-descent parser. Its functions are defined in parser_*.cpp by subject. After the
// first error the cursor is at the end, so that all loops end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/python/ast.h"
#include "registry/python/tokens.h"
#include "registry/text/diagnostics.h"

namespace opledger {

class PythonParser {
 public:
  PythonParser(std::shared_ptr<const SourceText> source, std::vector<PythonToken> tokens);

  // `tolerant`: leaves out statements with errors.
  std::optional<PythonTree> Run(bool tolerant, Diagnostics& diagnostics);

 private:
  using Ids = std::vector<PythonId>;
  using TokenKind = PythonToken::Kind;

  class Nesting;  // limits recursion

  // A parser position to return to.
  struct Mark {
    std::size_t position, nodes, children;
    std::uint32_t last_end;
  };

  // Tokens (parser.cpp).
  const PythonToken& Current() const { return tokens_[position_]; }
  const PythonToken& Ahead(std::size_t count) const;
  bool Is(TokenKind kind) const { return Current().kind == kind; }
  bool IsOperator(std::string_view text) const;
  bool IsWord(std::string_view text) const;
  bool IsIdentifier() const;
  void Advance();
  bool AcceptOperator(std::string_view text);
  bool AcceptWord(std::string_view text);
  void ExpectOperator(std::string_view text);
  void ExpectWord(std::string_view text);
  std::string_view Identifier();
  std::uint32_t Begin() const { return Current().begin; }
  // Report the current token, or another range, as an error.
  PythonId Fail(std::string message);
  PythonId FailAt(std::uint32_t begin, std::uint32_t end, std::string message);
  void Report(Diagnostics& diagnostics);
  Mark Here() const;
  void GoBack(const Mark& mark);

  // Nodes (parser.cpp). A node ends where the last consumed token does.
  PythonId Add(PythonKind kind, std::uint32_t begin, std::string_view text,
               std::span<const PythonId> children);
  PythonId Add(PythonKind kind, std::uint32_t begin, std::string_view text = {},
               std::initializer_list<PythonId> children = {});
  PythonNode& Node(PythonId id) { return tree_.nodes_[id]; }
  std::string_view Keep(std::string text);

  // Expressions (parser_expressions.cpp).
  PythonId StarExpressions();  // a, *b, c
  PythonId StarExpressionsOrYield();
  PythonId StarExpression(bool named);
  PythonId NamedExpression();
  PythonId Expression();
  PythonId Yield();
  PythonId Lambda();
  PythonId Disjunction();
  PythonId Conjunction();
  PythonId Inversion();
  PythonId Comparison();
  std::string_view ComparisonOperator();
  PythonId BitwiseOr() { return Binary(0); }
  PythonId Binary(int weakest);
  PythonId Factor();
  PythonId Power();
  PythonId AwaitPrimary();
  PythonId Primary();
  PythonId Trailer(PythonId value, std::uint32_t begin);

  // Displays and calls (parser_displays.cpp).
  PythonId Atom();
  PythonId Group();
  PythonId ListDisplay();
  PythonId BraceDisplay();
  PythonId DictItem();
  Ids Elements(PythonId first, std::string_view close);
  bool AtClause() const;
  PythonId Comprehension(PythonKind kind, std::uint32_t begin, PythonId element,
                         std::string_view close);
  PythonId Clause();
  void Arguments(Ids& arguments, bool generator_allowed);
  PythonId Argument();
  void CheckArgumentOrder(PythonId argument, bool& keyword, bool& unpacked);
  PythonId Index();
  PythonId SliceOrStar();

  // Strings (parser_strings.cpp).
  struct StringParts;
  PythonId Strings();
  void PlainString(StringParts& parts);
  void FormatString(StringParts& parts);
  void AddText(StringParts& parts, std::string_view body, bool raw);
  void Flush(StringParts& parts);
  void Replacement(StringParts& parts, bool raw);
  PythonId Specification(bool raw);

  // Targets (parser_targets.cpp).
  PythonId TargetList();  // for `for`
  void CheckTarget(PythonId id, bool starred_allowed);
  void CheckSingleTarget(PythonId id);
  void CheckDeleteTarget(PythonId id);

  // Statements (parser_statements.cpp, parser_simple_statements.cpp).
  PythonId Module();
  void Statement(Ids& statements);
  void LeaveOut(const Mark& mark, Ids& statements, std::size_t count);
  void PassClause();
  bool CompoundStatement(Ids& statements);
  void SimpleStatements(Ids& statements);
  PythonId SimpleStatement();
  PythonId Block();
  PythonId Else();
  PythonId ExpressionOrAssignment();
  PythonId AnnotatedAssignment(PythonId target, std::uint32_t begin);
  PythonId Assignment(PythonId first, std::uint32_t begin);
  PythonId Delete();
  PythonId Names(PythonKind kind);
  PythonId Import();
  PythonId ImportFrom();
  PythonId Alias(bool dotted);
  std::string_view DottedModule();
  PythonId Return();
  PythonId Raise();
  PythonId Assert();
  PythonId TypeAlias();
  PythonId If();
  PythonId For(std::uint32_t begin, bool async);
  PythonId While();
  PythonId Try();
  PythonId Handler();
  PythonId With(std::uint32_t begin, bool async);
  bool BracketedItems(Ids& items);
  PythonId WithItem();
  PythonId Decorated();
  PythonId Async(std::uint32_t begin, PythonId decorators);

  // Definitions (parser_definitions.cpp).
  PythonId Function(std::uint32_t begin, PythonId decorators, bool async);
  PythonId Class(std::uint32_t begin, PythonId decorators);
  PythonId Parameters(std::string_view close, bool annotated);
  PythonId Parameter(PythonKind kind, bool annotated);
  bool StarredParameter(Ids& parameters, bool annotated);
  PythonId TypeParameters();
  PythonId TypeParameter();

  // Patterns (parser_patterns.cpp).
  bool AtMatch() const;
  PythonId Match();
  PythonId Case();
  PythonId Patterns();
  PythonId Pattern();
  PythonId StarPattern();
  PythonId OrPattern();
  PythonId ClosedPattern();
  PythonId LiteralPattern();
  PythonId PatternNumber();
  PythonId NamePattern();
  PythonId BracketPattern();
  PythonId MappingPattern();
  PythonId PairPattern();
  PythonId ClassPattern(PythonId name, std::uint32_t begin);

  std::shared_ptr<const SourceText> source_;
  std::vector<PythonToken> tokens_;
  std::size_t position_ = 0;
  std::uint32_t last_end_ = 0;
  int nesting_ = 0;
  PythonTree tree_;
  std::vector<std::uint16_t> heights_ = {0};  // of each node
  // For statements that are left out; nullptr: errors end the parse.
  Diagnostics* diagnostics_ = nullptr;
  bool failed_ = false;
  std::string message_;
  Span place_;
};

class PythonParser::Nesting {
 public:
  explicit Nesting(PythonParser& parser) : parser_(parser) {
    if (++parser_.nesting_ > kMaximum) parser_.Fail("expressions are nested too deeply");
  }
  ~Nesting() { --parser_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  static constexpr int kMaximum = 400;
  PythonParser& parser_;
};

}  // namespace opledger
