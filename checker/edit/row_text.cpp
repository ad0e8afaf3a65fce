// A lexer for comments, literals, words and single characters.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/row_text.h"

#include <algorithm>

#include "registry/text/text.h"

namespace opledger {
namespace {

bool IsRowBlank(char c) {
  return std::string_view(" \t\r\n\f\v").find(c) != std::string_view::npos;
}

bool Opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool Closes(char c) { return c == ')' || c == ']' || c == '}'; }

}  // namespace

// Returns the end of the comment that starts at `at`, or `at` if there is none.
std::size_t RowText::SkipComment(std::size_t at) const {
  const std::string_view rest = text_.substr(at);
  if (language_ != RowLanguage::kCpp) return rest.starts_with('#') ? LineEnd(at) : at;
  if (rest.starts_with("//")) return LineEnd(at);
  if (!rest.starts_with("/*")) return at;
  const std::size_t close = text_.find("*/", at + 2);
  return close == std::string_view::npos ? text_.size() : close + 2;
}

std::size_t RowText::StringEnd(std::size_t at, bool raw) const {
  const char quote = text_[at];
  if (language_ == RowLanguage::kCpp && raw) {
    const std::size_t open = text_.find('(', at);
    if (open == std::string_view::npos) return text_.size();
    const std::string close = ")" + std::string(text_.substr(at + 1, open - at - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    return end == std::string_view::npos ? text_.size() : end + close.size();
  }
  const std::string three(3, quote);
  const bool tripled = language_ == RowLanguage::kPython && text_.substr(at).starts_with(three);
  for (std::size_t i = at + (tripled ? 3 : 1); i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (tripled ? text_.substr(i).starts_with(three) : text_[i] == quote) {
      return i + (tripled ? 3 : 1);
    } else if (!tripled && text_[i] == '\n') {
      return i;
    }
  }
  return text_.size();
}

// A directive is one token, except for #define, whose body is tokenized.
bool RowText::AddDirective(std::size_t& at) {
  if (language_ != RowLanguage::kCpp || text_[at] != '#' || !FirstOnLine(at)) return false;
  const std::size_t word = text_.find_first_not_of(" \t", at + 1);
  if (word != std::string_view::npos && text_.substr(word).starts_with("define")) return false;
  std::size_t end = LineEnd(at);
  while (end < text_.size() && end > at && text_[end - 1] == '\\') end = LineEnd(NextLine(end));
  tokens_.push_back({RowToken::Kind::kDirective, {at, end}});
  at = end;
  return true;
}

RowText::RowText(std::string_view text, RowLanguage language) : text_(text), language_(language) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool joins = c == '\\' && IsBlank(at + 1, NextLine(at)) && NextLine(at) > at + 1;
    if (IsRowBlank(c) || joins) {
      ++at;
    } else if (const std::size_t end = SkipComment(at); end != at) {
      at = end;
    } else if (AddDirective(at)) {
    } else if (c == '"' || c == '\'') {
      const bool raw =
          at > 0 && text[at - 1] == 'R' && !tokens_.empty() && tokens_.back().span.end == at;
      const std::size_t stop = StringEnd(at, raw);
      tokens_.push_back({RowToken::Kind::kString, {at, stop}});
      at = stop;
    } else if (IsWordCharacter(c)) {
      const bool number = c >= '0' && c <= '9';
      std::size_t stop = at;
      while (stop < text.size() &&
             (IsWordCharacter(text[stop]) ||
              (number && language_ == RowLanguage::kCpp && text[stop] == '\''))) {
        ++stop;
      }
      tokens_.push_back({RowToken::Kind::kWord, {at, stop}});
      at = stop;
    } else {
      tokens_.push_back({RowToken::Kind::kMark, {at, at + 1}});
      ++at;
    }
  }
}

std::string_view RowText::Of(std::size_t token) const {
  return Between(tokens_[token].span.begin, tokens_[token].span.end);
}

char RowText::Mark(std::size_t token) const {
  const RowToken& each = tokens_[token];
  return each.kind == RowToken::Kind::kMark ? text_[each.span.begin] : '\0';
}

std::optional<std::size_t> RowText::TokenAt(std::size_t offset) const {
  const auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                       [](const RowToken& each, std::size_t at) { return each.span.begin < at; });
  if (found == tokens_.end() || found->span.begin != offset) return std::nullopt;
  return static_cast<std::size_t>(found - tokens_.begin());
}

std::optional<RowBracket> RowText::BracketAround(std::size_t token) const {
  RowBracket bracket;
  int depth = 0;
  std::size_t open = token;
  while (open > 0 && depth >= 0) {
    --open;
    if (Closes(Mark(open))) ++depth;
    if (Opens(Mark(open))) --depth;
  }
  if (depth >= 0) return std::nullopt;
  bracket.open = open;
  std::optional<RowElement> element;
  depth = 0;
  for (std::size_t i = open + 1; i < tokens_.size(); ++i) {
    const char mark = Mark(i);
    if (depth == 0 && (mark == ',' || Closes(mark))) {
      if (element && mark == ',') element->comma = i;
      if (element) bracket.elements.push_back(*element);
      element.reset();
      if (mark == ',') continue;
      bracket.close = i;
      return bracket;
    }
    if (Opens(mark)) ++depth;
    if (Closes(mark)) --depth;
    if (tokens_[i].kind == RowToken::Kind::kDirective) continue;
    if (!element) element = RowElement{i, i, {}};
    element->last = i;
  }
  return std::nullopt;
}

std::size_t RowText::LineStart(std::size_t offset) const {
  const std::size_t before = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
  if (before != std::string_view::npos) return before + 1;
  return text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

std::size_t RowText::LineEnd(std::size_t offset) const {
  const std::size_t end = std::min(text_.find('\n', offset), text_.size());
  return end > offset && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
}

std::size_t RowText::NextLine(std::size_t offset) const {
  const std::size_t end = text_.find('\n', offset);
  return end == std::string_view::npos ? text_.size() : end + 1;
}

std::string RowText::LineBreak() const {
  return text_.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
}

std::string_view RowText::Between(std::size_t begin, std::size_t end) const {
  return text_.substr(begin, end - begin);
}

bool RowText::FirstOnLine(std::size_t offset) const { return IsBlank(LineStart(offset), offset); }

bool RowText::IsBlank(std::size_t begin, std::size_t end) const {
  const std::string_view between = Between(begin, end);
  return std::all_of(between.begin(), between.end(), IsRowBlank);
}

bool RowText::EndsLine(std::size_t offset) const {
  const std::size_t end = LineEnd(offset);
  std::size_t at = offset;
  while (at < end && IsRowBlank(text_[at])) ++at;
  if (at >= end) return true;
  const std::size_t comment = SkipComment(at);
  return comment > at && comment >= end && comment <= NextLine(offset);
}

}  // namespace opledger
