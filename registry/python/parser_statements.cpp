// Parses the module, blocks, and statements with blocks; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser_state.h"

namespace opledger {

PythonId PythonParser::Module() {
  Ids statements;
  while (!Is(TokenKind::kEnd)) {
    if (Is(TokenKind::kNewline) || Is(TokenKind::kDedent)) {
      Advance();  // the module has no statements, or its first one was left out
    } else {
      Statement(statements);
    }
  }
  last_end_ = static_cast<std::uint32_t>(source_->text().size());
  return Add(PythonKind::kModule, 0, {}, statements);
}

void PythonParser::Statement(Ids& statements) {
  const Mark mark = Here();
  const std::size_t count = statements.size();
  if (Is(TokenKind::kIndent)) {
    Fail("unexpected indentation");
  } else if (!CompoundStatement(statements)) {
    SimpleStatements(statements);
  }
  if (failed_ && diagnostics_ != nullptr) LeaveOut(mark, statements, count);
}

// Reports the error in the statement that began at `mark`, and continues after it.
void PythonParser::LeaveOut(const Mark& mark, Ids& statements, std::size_t count) {
  Report(*diagnostics_);
  GoBack(mark);
  statements.resize(count);
  do {
    PassClause();
  } while (IsWord("elif") || IsWord("else") || IsWord("except") || IsWord("finally"));
}

// Skips a line and the block that it opens, or a block without a header.
void PythonParser::PassClause() {
  while (!Is(TokenKind::kNewline) && !Is(TokenKind::kIndent) && !Is(TokenKind::kEnd)) Advance();
  if (Is(TokenKind::kNewline)) Advance();
  if (!Is(TokenKind::kIndent)) return;
  int depth = 0;
  do {
    if (Is(TokenKind::kIndent)) ++depth;
    if (Is(TokenKind::kDedent)) --depth;
    Advance();
  } while (depth > 0 && !Is(TokenKind::kEnd));
}

// Returns false if no compound statement begins here.
bool PythonParser::CompoundStatement(Ids& statements) {
  const std::uint32_t begin = Begin();
  PythonId id = 0;
  if (IsWord("if")) {
    id = If();
  } else if (IsWord("for")) {
    id = For(begin, false);
  } else if (IsWord("while")) {
    id = While();
  } else if (IsWord("try")) {
    id = Try();
  } else if (IsWord("with")) {
    id = With(begin, false);
  } else if (IsWord("def")) {
    id = Function(begin, Add(PythonKind::kDecorators, begin), false);
  } else if (IsWord("class")) {
    id = Class(begin, Add(PythonKind::kDecorators, begin));
  } else if (IsWord("async")) {
    id = Async(begin, 0);
  } else if (IsOperator("@")) {
    id = Decorated();
  } else if (AtMatch()) {
    id = Match();
  } else {
    return false;
  }
  statements.push_back(id);
  return true;
}

// Parses from the ':' on.
PythonId PythonParser::Block() {
  const Nesting nesting(*this);
  ExpectOperator(":");
  std::uint32_t begin = Begin();
  Ids statements;
  if (!Is(TokenKind::kNewline)) {
    SimpleStatements(statements);
    return Add(PythonKind::kBlock, begin, {}, statements);
  }
  Advance();
  if (!Is(TokenKind::kIndent)) return Fail("expected an indented block");
  Advance();
  begin = Begin();
  while (!Is(TokenKind::kDedent) && !Is(TokenKind::kEnd)) Statement(statements);
  if (!failed_) Advance();
  return Add(PythonKind::kBlock, begin, {}, statements);
}

PythonId PythonParser::Else() { return AcceptWord("else") ? Block() : 0; }

PythonId PythonParser::If() {
  const std::uint32_t begin = Begin();
  Ids parts;
  do {
    const std::uint32_t branch = Begin();
    Advance();
    const PythonId test = NamedExpression();
    const PythonId body = Block();
    parts.push_back(Add(PythonKind::kBranch, branch, {}, {test, body}));
  } while (IsWord("elif"));
  if (const PythonId other = Else(); other != 0) parts.push_back(other);
  return Add(PythonKind::kIf, begin, {}, parts);
}

PythonId PythonParser::For(std::uint32_t begin, bool async) {
  ExpectWord("for");
  const PythonId target = TargetList();
  ExpectWord("in");
  const PythonId iterable = StarExpressions();
  const PythonId body = Block();
  const PythonId other = Else();
  const PythonId id = Add(PythonKind::kFor, begin, {}, {target, iterable, body, other});
  if (!failed_) Node(id).async = async;
  return id;
}

PythonId PythonParser::While() {
  const std::uint32_t begin = Begin();
  ExpectWord("while");
  const PythonId test = NamedExpression();
  const PythonId body = Block();
  const PythonId other = Else();
  return Add(PythonKind::kWhile, begin, {}, {test, body, other});
}

PythonId PythonParser::Try() {
  const std::uint32_t begin = Begin();
  ExpectWord("try");
  const PythonId body = Block();
  Ids parts = {body, 0, 0};
  while (IsWord("except")) {
    const std::uint32_t place = Begin();
    parts.push_back(Handler());
    if (!failed_ && Node(parts.back()).star != Node(parts[3]).star) {
      return FailAt(place, place + 6, "'except' and 'except*' cannot be mixed");
    }
  }
  if (parts.size() > 3) parts[1] = Else();
  if (AcceptWord("finally")) parts[2] = Block();
  if (parts.size() == 3 && parts[2] == 0) return Fail("expected 'except' or 'finally'");
  return Add(PythonKind::kTry, begin, {}, parts);
}

PythonId PythonParser::Handler() {
  const std::uint32_t begin = Begin();
  ExpectWord("except");
  const bool star = AcceptOperator("*");
  const PythonId type = !star && IsOperator(":") ? 0 : Expression();
  const std::string_view name = type != 0 && AcceptWord("as") ? Identifier() : "";
  const PythonId body = Block();
  const PythonId id = Add(PythonKind::kHandler, begin, name, {type, body});
  if (!failed_) Node(id).star = star;
  return id;
}

PythonId PythonParser::With(std::uint32_t begin, bool async) {
  ExpectWord("with");
  Ids parts = {0};
  const Mark mark = Here();
  if (!IsOperator("(") || !BracketedItems(parts)) {
    GoBack(mark);
    parts.resize(1);
    do {
      parts.push_back(WithItem());
    } while (AcceptOperator(","));
  }
  parts.front() = Block();
  const PythonId id = Add(PythonKind::kWith, begin, {}, parts);
  if (!failed_) Node(id).async = async;
  return id;
}

// Parses (a as b, c as d) followed by ':'. Since parentheses may also begin an expression, this may
// be read twice; as expressions contain no statements, the work stays linear.
bool PythonParser::BracketedItems(Ids& items) {
  ExpectOperator("(");
  do {
    items.push_back(WithItem());
  } while (AcceptOperator(",") && !IsOperator(")"));
  ExpectOperator(")");
  return !failed_ && IsOperator(":");
}

PythonId PythonParser::WithItem() {
  const std::uint32_t begin = Begin();
  const PythonId value = Expression();
  PythonId target = 0;
  if (AcceptWord("as")) {
    const std::uint32_t star = Begin();
    const bool starred = AcceptOperator("*");
    target = BitwiseOr();
    if (starred) target = Add(PythonKind::kStarred, star, {}, {target});
    CheckTarget(target, true);
  }
  return Add(PythonKind::kWithItem, begin, {}, {value, target});
}

PythonId PythonParser::Decorated() {
  const std::uint32_t begin = Begin();
  Ids decorators;
  while (AcceptOperator("@")) {
    decorators.push_back(NamedExpression());
    if (!Is(TokenKind::kNewline)) return Fail("expected the end of the line after a decorator");
    Advance();
  }
  const PythonId id = Add(PythonKind::kDecorators, begin, {}, decorators);
  const std::uint32_t definition = Begin();
  if (IsWord("def")) return Function(definition, id, false);
  if (IsWord("class")) return Class(definition, id);
  if (IsWord("async")) return Async(definition, id);
  return Fail("a decorator must precede 'def' or 'class'");
}

// `decorators` may be absent.
PythonId PythonParser::Async(std::uint32_t begin, PythonId decorators) {
  ExpectWord("async");
  if (IsWord("def")) {
    if (decorators == 0) decorators = Add(PythonKind::kDecorators, begin);
    return Function(begin, decorators, true);
  }
  if (decorators == 0 && IsWord("for")) return For(begin, true);
  if (decorators == 0 && IsWord("with")) return With(begin, true);
  return Fail("'async' must precede 'def', 'for' or 'with'");
}

}  // namespace opledger
