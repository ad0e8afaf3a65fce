// Keeps the layout of macros: all lines but the last end in a backslash, in a common column.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/macro_rows.h"

#include <algorithm>

#include "registry/text/text.h"

namespace opledger {
namespace {

// Returns the token "define" of the definition that contains the token.
std::optional<std::size_t> DefineBefore(const RowText& text, std::size_t token) {
  for (std::size_t i = token; i > 0; --i) {
    if (text.Of(i) == "define" && text.Mark(i - 1) == '#') return i;
  }
  return std::nullopt;
}

std::size_t ContentEnd(const RowText& text, std::size_t offset) {
  const std::string_view line = text.Between(offset, text.LineEnd(offset));
  return offset + Trimmed("x" + std::string(line)).size() - 1;
}

bool IsContinued(const RowText& text, std::size_t offset) {
  const std::size_t end = ContentEnd(text, offset);
  return end > offset && text.Between(end - 1, end) == "\\";
}

// Returns the end of the definition that contains `offset`.
std::size_t DefinitionEnd(const RowText& text, std::size_t offset) {
  while (IsContinued(text, offset) && text.NextLine(offset) > text.LineEnd(offset)) {
    offset = text.NextLine(offset);
  }
  return text.LineEnd(offset);
}

std::string ArgumentsOf(const RowText& text, std::size_t first, std::size_t last) {
  std::string name;
  for (std::size_t i = first + 2; i < last; ++i) {
    const bool word = text.tokens()[i].kind == RowToken::Kind::kWord;
    const bool at_word = (i - first) % 2 == 0;
    if (word != at_word || (!at_word && text.Mark(i) != ',')) return {};
    if (word) name += (name.empty() ? "" : ".") + std::string(text.Of(i));
  }
  return name;
}

// Returns whether the lines of the row contain nothing else.
bool IsAlone(const RowText& text, const MacroRow& row) {
  const std::size_t end = text.tokens()[row.last].span.end;
  const std::string_view rest = Trimmed(text.Between(end, text.LineEnd(end)));
  const bool nothing =
      rest.empty() || rest == "\\" || rest.starts_with("/*") || rest.starts_with("//");
  return nothing && text.FirstOnLine(text.tokens()[row.first].span.begin);
}

// Appends a backslash at the column (from 0), or after a space if the line is longer.
std::string WithBackslash(std::string line, std::size_t column) {
  line.resize(std::max(line.size() + 1, column), ' ');
  return line + '\\';
}

std::size_t BackslashColumn(const RowText& text, const MacroRows& macro) {
  for (const MacroRow& row : macro.rows) {
    const std::size_t begin = text.tokens()[row.first].span.begin;
    if (!IsContinued(text, begin)) continue;
    return ContentEnd(text, begin) - 1 - text.LineStart(begin);
  }
  return 0;
}

}  // namespace

std::optional<MacroRows> MacroRowsAround(const RowText& text, std::size_t token) {
  const auto define = DefineBefore(text, token);
  const auto& tokens = text.tokens();
  if (!define || *define + 4 >= tokens.size() || text.Mark(*define + 2) != '(') {
    return std::nullopt;
  }
  MacroRows macro;
  macro.parameter = text.Of(*define + 3);
  const std::size_t end = DefinitionEnd(text, tokens[*define].span.begin);
  if (tokens[token].span.begin >= end || text.Mark(*define + 4) != ')') return std::nullopt;
  for (std::size_t i = *define + 5; i + 2 < tokens.size() && tokens[i].span.begin < end; ++i) {
    if (text.Of(i) != macro.parameter || text.Mark(i + 1) != '(') continue;
    const std::optional<RowBracket> bracket = text.BracketAround(i + 2);
    if (!bracket || bracket->open != i + 1) return std::nullopt;
    macro.rows.push_back({i, bracket->close, ArgumentsOf(text, i, bracket->close)});
    i = bracket->close;
  }
  return macro;
}

MacroEdit RemoveMacroRow(const RowText& text, const MacroRows& macro, std::size_t row) {
  const MacroRow& gone = macro.rows[row];
  const Span span = {text.tokens()[gone.first].span.begin, text.tokens()[gone.last].span.end};
  if (!IsAlone(text, gone)) {
    const bool next_here = row + 1 < macro.rows.size() &&
                           text.LineStart(text.tokens()[macro.rows[row + 1].first].span.begin) ==
                               text.LineStart(span.begin);
    if (next_here) return {{span.begin, text.tokens()[macro.rows[row + 1].first].span.begin}, ""};
    return {{text.tokens()[gone.first - 1].span.end, span.end}, ""};
  }
  if (IsContinued(text, span.end)) {
    return {{text.LineStart(span.begin), text.NextLine(span.end)}, ""};
  }
  // The previous line becomes the last one.
  const std::size_t line = text.LineStart(text.LineStart(span.begin) - 1);
  std::size_t content = ContentEnd(text, line);
  if (content > line && text.Between(content - 1, content) == "\\") --content;
  while (content > line && text.IsBlank(content - 1, content)) --content;
  return {{content, text.LineEnd(span.end)}, ""};
}

MacroEdit InsertMacroRow(const RowText& text, const MacroRows& macro,
                         std::optional<std::size_t> after, std::string_view name,
                         std::string_view note) {
  const MacroRow& like = macro.rows[after.value_or(0)];
  const Span span = {text.tokens()[like.first].span.begin, text.tokens()[like.last].span.end};
  std::string row = macro.parameter + "(" + MacroArguments(name) + ")";
  if (!note.empty()) row += " /* opledger: " + std::string(note) + " */";
  const std::size_t argument = macro.parameter.size() + 1;
  if (!IsAlone(text, like)) {
    if (!after) return {{span.begin, span.begin}, row + " ", argument};
    return {{span.end, span.end}, " " + row, argument + 1};
  }
  const std::size_t column = BackslashColumn(text, macro);
  const std::size_t start = text.LineStart(span.begin);
  const std::string indent(text.Between(start, span.begin));
  // A line that ends in a // comment cannot be continued.
  const std::string_view behind = Trimmed(text.Between(span.end, text.LineEnd(span.end)));
  if (!after || behind.starts_with("//")) {
    return {{start, start},
            WithBackslash(indent + row, column) + text.LineBreak(),
            indent.size() + argument};
  }
  if (IsContinued(text, span.end)) {
    const std::size_t next = text.NextLine(span.end);
    return {{next, next},
            WithBackslash(indent + row, column) + text.LineBreak(),
            indent.size() + argument};
  }
  const std::size_t end = ContentEnd(text, span.end);
  const std::size_t line = text.LineStart(span.end);
  const std::string last = WithBackslash(std::string(text.Between(line, end)), column);
  const std::string added = last.substr(end - line) + text.LineBreak() + indent + row;
  return {{end, text.LineEnd(end)}, added, added.size() - row.size() + argument};
}

std::string MacroArguments(std::string_view name) {
  std::string arguments;
  for (const char c : name) arguments += c == '.' ? ", " : std::string(1, c);
  return arguments;
}

}  // namespace opledger
