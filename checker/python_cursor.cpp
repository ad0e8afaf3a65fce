// Walking over the tokens of a Python module; see python_cursor.h.
// SPDX-License-Identifier: Apache-2.0
#include "checker/python_cursor.h"

#include <algorithm>
#include <utility>

namespace opledger {

using Kind = PythonToken::Kind;

PythonCursor::PythonCursor(std::vector<PythonToken> tokens) : tokens_(std::move(tokens)) {}

const PythonToken& PythonCursor::Ahead(std::size_t count) const {
  return tokens_[std::min(position_ + count, tokens_.size() - 1)];
}

bool PythonCursor::IsOperator(std::string_view text) const {
  return Is(Kind::kOperator) && Current().text == text;
}

bool PythonCursor::IsName(std::string_view text) const {
  return Is(Kind::kName) && Current().text == text;
}

void PythonCursor::Advance() {
  if (position_ + 1 < tokens_.size()) ++position_;
}

bool PythonCursor::AcceptOperator(std::string_view text) {
  if (!IsOperator(text)) return false;
  Advance();
  return true;
}

Location PythonCursor::Since(const Location& begin) const {
  Location location = begin;
  const Location& last = tokens_[position_ > 0 ? position_ - 1 : 0].location;
  location.end_line = last.end_line;
  location.end_column = last.end_column;
  return location;
}

void PythonCursor::SkipTo(std::string_view operators) {
  int depth = 0;
  for (; !Is(Kind::kEnd); Advance()) {
    if (depth == 0 && (Is(Kind::kNewline) || IsOperator(";"))) return;
    if (!Is(Kind::kOperator)) continue;
    const char c = Current().text[0];
    const bool close = c == ')' || c == ']' || c == '}';
    const bool single = Current().text.size() == 1;
    if (depth == 0 && (close || (single && operators.find(c) != std::string_view::npos))) return;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (close) --depth;
  }
}

void PythonCursor::SkipStatement() {
  while (!Is(Kind::kEnd) && !Is(Kind::kNewline) && !IsOperator(";")) {
    SkipTo("");
    if (IsOperator(")") || IsOperator("]") || IsOperator("}")) Advance();
  }
  Advance();
}

void PythonCursor::SkipBlock() {
  while (!Is(Kind::kNewline) && !Is(Kind::kEnd)) Advance();
  Advance();
  if (!Is(Kind::kIndent)) return;
  int depth = 0;
  do {
    if (Is(Kind::kIndent)) ++depth;
    if (Is(Kind::kDedent)) --depth;
    Advance();
  } while (depth > 0 && !Is(Kind::kEnd));
}

}  // namespace opledger
