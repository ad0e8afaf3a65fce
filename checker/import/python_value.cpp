// Reads one literal of a Python module; see python_value.h.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/python_value.h"

#include <utility>

namespace opledger {
namespace {

using LiteralKind = LiteralValue::Kind;
using TokenKind = PythonToken::Kind;

constexpr int kMaxDepth = 64;

}  // namespace

bool PythonValueReader::TakeComplete() { return std::exchange(complete_, true); }

bool PythonValueReader::AtEnd(std::string_view ends) const {
  const PythonToken& token = cursor_.Current();
  if (token.kind != TokenKind::kOperator) {
    return token.kind == TokenKind::kNewline || token.kind == TokenKind::kEnd;
  }
  if (token.text.size() > 1) return false;
  const bool close = std::string_view(")]};").find(token.text) != std::string_view::npos;
  return close || ends.find(token.text) != std::string_view::npos;
}

LiteralValue PythonValueReader::Read(std::string_view ends) {
  const Location begin = cursor_.Current().location;
  if (cursor_.IsOperator("*") || cursor_.IsOperator("**")) {
    return Unreadable(begin, ends, "a starred item");
  }
  if (depth_ == kMaxDepth) return Unreadable(begin, ends, "brackets nested this deeply");
  ++depth_;
  LiteralValue value = Bare();
  --depth_;
  if (AtEnd(ends) && value.kind != LiteralKind::kUnreadable) return value;
  const bool described = value.kind == LiteralKind::kUnreadable && !value.text.empty();
  return Unreadable(begin, ends, described ? value.text : WhatFollows());
}

// An unreadable value has its description as text, or none, and is not yet reported.
LiteralValue PythonValueReader::Bare() {
  LiteralValue value;
  const PythonToken token = cursor_.Current();
  value.location = token.location;
  if (token.kind == TokenKind::kString) return Strings();
  if (cursor_.IsOperator("(") || cursor_.IsOperator("[") || cursor_.IsOperator("{")) {
    return Bracketed();
  }
  if (token.kind == TokenKind::kNumber) {
    value.kind = LiteralKind::kNumber;
    value.text = token.text;
    cursor_.Advance();
  } else if (cursor_.IsOperator("-") && cursor_.Ahead(1).kind == TokenKind::kNumber) {
    value.kind = LiteralKind::kNumber;
    value.text = "-" + cursor_.Ahead(1).text;
    cursor_.Advance();
    cursor_.Advance();
  } else if (cursor_.IsName("True") || cursor_.IsName("False") || cursor_.IsName("None")) {
    value.kind = LiteralKind::kConstant;
    value.text = token.text;
    cursor_.Advance();
  } else if (token.kind == TokenKind::kName && token.text != "lambda" && token.text != "not") {
    cursor_.Advance();
    const bool call = cursor_.IsOperator("(") || cursor_.IsOperator(".");
    value.text = call ? "a call or attribute" : "the name '" + token.text + "'";
  }
  value.location = cursor_.Since(value.location);
  return value;
}

LiteralValue PythonValueReader::Strings() {
  LiteralValue value;
  value.kind = LiteralKind::kString;
  value.location = cursor_.Current().location;
  std::string problem;
  for (int count = 0; cursor_.Is(TokenKind::kString); ++count) {
    if (problem.empty()) problem = cursor_.Current().problem;
    value.text += cursor_.Current().text;
    value.joined = count > 0;
    cursor_.Advance();
  }
  value.location = cursor_.Since(value.location);
  if (!problem.empty()) {
    value.kind = LiteralKind::kUnreadable;
    value.text = problem;
  }
  return value;
}

LiteralValue PythonValueReader::Bracketed() {
  LiteralValue value;
  const Location begin = cursor_.Current().location;
  const char open = cursor_.Current().text[0];
  value.kind = open == '('   ? LiteralKind::kTuple
               : open == '[' ? LiteralKind::kList
                             : LiteralKind::kDict;
  cursor_.Advance();
  Items(value, open == '(' ? ")" : open == '[' ? "]" : "}");
  value.location = cursor_.Since(begin);
  return value;
}

// Up to and with `close`. A tuple of one item without a comma is that item; a dict without ':' is a
// set.
void PythonValueReader::Items(LiteralValue& value, std::string_view close) {
  const bool dict = value.kind == LiteralKind::kDict;
  bool comma = false;
  bool pairs = false;
  while (!cursor_.AcceptOperator(close)) {
    if (cursor_.Is(TokenKind::kEnd)) return;  // not reached: the lexer matches brackets
    LiteralValue item = Read(dict ? ":," : ",");
    if (dict && cursor_.AcceptOperator(":")) {
      pairs = true;
      LiteralValue mapped = Read(",");
      const bool readable =
          item.kind != LiteralKind::kUnreadable && mapped.kind != LiteralKind::kUnreadable;
      if (readable) value.items.push_back(std::move(item));
      if (readable) value.items.push_back(std::move(mapped));
    } else if (item.kind != LiteralKind::kUnreadable) {
      value.items.push_back(std::move(item));
    }
    comma = cursor_.AcceptOperator(",") || comma;
    if (cursor_.IsOperator(";")) cursor_.Advance();  // a syntax error, reported as unreadable
  }
  if (dict && !pairs && !value.items.empty()) value.kind = LiteralKind::kSet;
  if (value.kind == LiteralKind::kTuple && value.items.size() == 1 && !comma) {
    LiteralValue only = std::move(value.items.front());
    value = std::move(only);
  }
}

// Why a readable start is no literal.
std::string PythonValueReader::WhatFollows() const {
  if (cursor_.IsName("for") || cursor_.IsName("async")) return "a comprehension";
  if (AtEnd("")) return "a missing value";
  return "an expression";
}

LiteralValue PythonValueReader::Unreadable(const Location& begin, std::string_view ends,
                                           const std::string& what) {
  // The commas of a comprehension separate nothing.
  const bool comprehension = cursor_.IsName("for") || cursor_.IsName("async");
  cursor_.SkipTo(comprehension ? "" : ends);
  LiteralValue value;
  value.location = cursor_.Since(begin);
  if (value.location.end_line < begin.line ||
      (value.location.end_line == begin.line && value.location.end_column <= begin.column)) {
    value.location = begin;
  }
  source_.Warn(value.location, what + " is not read: it is no literal",
               "write the entries out as string literals, or add them to the result by hand",
               diagnostics_);
  complete_ = false;
  return value;
}

}  // namespace opledger
