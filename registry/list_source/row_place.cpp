// Finds notes and heads of rows. Scans text by characters: only comments, literals, braces and line
// ends matter.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/row_place.h"

#include <algorithm>

#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::string_view kKeyword = "opledger:";

bool IsBlank(char c) { return std::string_view(" \t\r\n\f\v").find(c) != std::string_view::npos; }

// Returns the end of the string or character literal that starts at `at`. An unterminated literal
// ends with its line.
std::size_t EndOfLiteral(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    }
  }
  return std::min(at, text.size());
}

std::size_t LineStart(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t LineEnd(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// Returns whether the line that ends before `start` is continued on the next one.
bool IsContinued(std::string_view text, std::size_t start) {
  if (start < 2) return false;
  std::size_t last = start - 2;
  if (text[last] == '\r' && last > 0) --last;
  return text[last] == '\\';
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string NoteOf(std::string_view comment) {
  comment = TrimBlanks(comment);
  if (!comment.starts_with(kKeyword)) return {};
  return std::string(TrimBlanks(comment.substr(kKeyword.size())));
}

// Calls `visit` with each C++ character that is not in a comment, literal or directive.
template <typename Visit>
void ForEachCodeCharacter(std::string_view text, Visit visit) {
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (text.substr(i).starts_with("//")) {
      i = LineEnd(text, i);
    } else if (text.substr(i).starts_with("/*")) {
      const std::size_t close = text.find("*/", i + 2);
      i = close == std::string_view::npos ? text.size() : close + 2;
    } else if (c == '"' || c == '\'') {
      visit(i, 'x');
      i = EndOfLiteral(text, i);
      line_begins = false;
    } else if (c == '#' && line_begins) {
      do {
        i = std::min(LineEnd(text, i) + 1, text.size());
      } while (i < text.size() && IsContinued(text, i));
    } else {
      if (c == '\n') {
        line_begins = true;
      } else if (!IsBlank(c)) {
        line_begins = false;
      }
      visit(i, c);
      ++i;
    }
  }
}

// Returns the macro of a "#define NAME(_) ..." on the logical line of `begin`.
std::optional<RowHead> MacroAround(std::string_view text, std::size_t begin) {
  std::size_t start = LineStart(text, begin);
  while (start > 0 && IsContinued(text, start)) start = LineStart(text, start - 1);
  std::size_t at = text.find_first_not_of(" \t", start);
  if (at == std::string_view::npos || text[at] != '#') return std::nullopt;
  at = text.find_first_not_of(" \t", at + 1);
  constexpr std::string_view kDefine = "define";
  if (at == std::string_view::npos || !text.substr(at).starts_with(kDefine)) return std::nullopt;
  at = text.find_first_not_of(" \t", at + kDefine.size());
  std::size_t end = at;
  while (end < text.size() && IsWordCharacter(text[end])) ++end;
  if (at == std::string_view::npos || end == at || at >= begin) return std::nullopt;
  return RowHead{std::string(text.substr(at, end - at)), {at, end}};
}

std::string WithSingleSpaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = IsBlank(c);
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string RowNote(std::string_view text, std::size_t begin, CommentStyle style) {
  const std::size_t end = LineEnd(text, begin);
  for (std::size_t i = begin; i < end;) {
    const std::string_view rest = text.substr(i, end - i);
    if (rest.front() == '"' || rest.front() == '\'') {
      i = EndOfLiteral(text, i);
    } else if (style == CommentStyle::kHash && rest.front() == '#') {
      return NoteOf(rest.substr(1));
    } else if (style == CommentStyle::kCpp && rest.starts_with("//")) {
      return NoteOf(rest.substr(2));
    } else if (style == CommentStyle::kCpp && rest.starts_with("/*")) {
      const std::size_t close = rest.find("*/");
      if (close == std::string_view::npos) return {};
      std::string note = NoteOf(rest.substr(2, close - 2));
      if (!note.empty()) return note;
      i += close + 2;
    } else {
      ++i;
    }
  }
  return {};
}

RowHeads::RowHeads(std::string_view text) : text_(text) {
  std::vector<std::size_t> open;
  std::optional<std::size_t> statement;
  ForEachCodeCharacter(text, [&](std::size_t at, char c) {
    if (c == '{') {
      open.push_back(blocks_.size());
      blocks_.push_back({{statement.value_or(at), at}});
      statement.reset();
    } else if (c == '}' || c == ';') {
      if (c == '}' && !open.empty()) {
        blocks_[open.back()].end = at;
        open.pop_back();
      }
      statement.reset();
    } else if (!statement && !IsBlank(c)) {
      statement = at;
    }
  });
  // Namespaces are not lists of rows.
  std::erase_if(blocks_, [&](const Block& block) {
    const std::string_view opens = text.substr(block.statement.begin, block.statement.size());
    return opens.starts_with("namespace") || opens.starts_with("extern");
  });
}

std::optional<RowHead> RowHeads::Find(std::size_t begin) const {
  if (auto macro = MacroAround(text_, begin)) return macro;
  const auto around = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& block) {
    return block.statement.end < begin && begin < block.end;
  });
  if (around == blocks_.rend()) return std::nullopt;
  const Span statement = around->statement;
  std::size_t end = statement.begin;
  while (end < statement.end && IsWordCharacter(text_[end])) ++end;
  return RowHead{WithSingleSpaces(text_.substr(statement.begin, statement.size())),
                 {statement.begin, std::max(end, statement.begin + 1)}};
}

}  // namespace opledger
