// Walking over the tokens of a Python module; see python_cursor.h.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/python_cursor.h"

#include <algorithm>
#include <utility>

namespace opledger {

using PythonKind = PythonToken::Kind;

PythonCursor::PythonCursor(std::vector<PythonToken> tokens) : tokens_(std::move(tokens)) {}

const PythonToken& PythonCursor::Ahead(std::size_t count) const {
  return tokens_[std::min(position_ + count, tokens_.size() - 1)];
}

bool PythonCursor::IsOperator(std::string_view text) const {
  return Is(PythonKind::kOperator) && Current().text == text;
}

bool PythonCursor::IsName(std::string_view text) const {
  return Is(PythonKind::kName) && Current().text == text;
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
  for (; !Is(PythonKind::kEnd); Advance()) {
    if (depth == 0 && (Is(PythonKind::kNewline) || IsOperator(";"))) return;
    if (!Is(PythonKind::kOperator)) continue;
    const char c = Current().text[0];
    const bool close = c == ')' || c == ']' || c == '}';
    const bool single = Current().text.size() == 1;
    if (depth == 0 && (close || (single && operators.find(c) != std::string_view::npos))) return;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (close) --depth;
  }
}

void PythonCursor::SkipStatement() {
  while (!Is(PythonKind::kEnd) && !Is(PythonKind::kNewline) && !IsOperator(";")) {
    SkipTo("");
    if (IsOperator(")") || IsOperator("]") || IsOperator("}")) Advance();
  }
  Advance();
}

void PythonCursor::SkipBlock() {
  while (!Is(PythonKind::kNewline) && !Is(PythonKind::kEnd)) Advance();
  Advance();
  if (!Is(PythonKind::kIndent)) return;
  int depth = 0;
  do {
    if (Is(PythonKind::kIndent)) ++depth;
    if (Is(PythonKind::kDedent)) --depth;
    Advance();
  } while (depth > 0 && !Is(PythonKind::kEnd));
}

}  // namespace opledger
