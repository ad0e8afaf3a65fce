// Tokens of a Python module; see python_tokens.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/tokens.h"

#include <algorithm>
#include <utility>

#include "registry/text/utf8.h"

namespace opledger {
namespace {

using PythonKind = PythonToken::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameByte(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || IsDigit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  Lexer(const SourceText& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), text_(source.text()) {
    if (At("\xEF\xBB\xBF")) position_ = 3;
  }

  std::optional<std::vector<PythonToken>> Run() {
    while (!failed_ && position_ < text_.size()) {
      if (at_line_start_ && brackets_.empty()) {
        Indentation();
      } else {
        Next();
      }
    }
    if (!failed_ && !brackets_.empty()) {
      Fail(brackets_.back(), brackets_.back() + 1, "the bracket is never closed");
    }
    if (failed_) return std::nullopt;
    Add(PythonKind::kNewline, position_, "");
    for (; indents_.size() > 1; indents_.pop_back()) Add(PythonKind::kDedent, position_, "");
    Add(PythonKind::kEnd, position_, "");
    return std::move(tokens_);
  }

 private:
  bool At(std::string_view start) const { return text_.substr(position_).starts_with(start); }
  char Peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  bool AtLineEnd() const { return Peek() == '\n' || Peek() == '\r' || position_ >= text_.size(); }

  void Add(PythonKind kind, std::size_t begin, std::string text, std::string problem = {}) {
    tokens_.push_back({kind, std::move(text), std::move(problem), source_.At(begin, position_)});
  }

  void Fail(std::size_t begin, std::size_t end, std::string message) {
    source_.Report(Severity::kError, source_.At(begin, end), std::move(message), "", diagnostics_);
    failed_ = true;
  }

  // Blank lines and comment lines have none.
  void Indentation() {
    int column = 0;
    for (; Peek() == ' ' || Peek() == '\t' || Peek() == '\f'; ++position_) {
      if (Peek() == ' ') ++column;
      if (Peek() == '\t') column = (column / 8 + 1) * 8;
      if (Peek() == '\f') column = 0;
    }
    at_line_start_ = false;
    if (AtLineEnd() || Peek() == '#') return;
    if (column > indents_.back()) {
      indents_.push_back(column);
      Add(PythonKind::kIndent, position_, "");
    }
    for (; column < indents_.back(); indents_.pop_back()) Add(PythonKind::kDedent, position_, "");
    if (column != indents_.back()) {
      Fail(position_, position_ + 1, "the indentation fits no outer block");
    }
  }

  void Next() {
    const char c = Peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++position_;
    } else if (c == '#') {
      while (!AtLineEnd()) ++position_;
    } else if (c == '\n' || c == '\r') {
      EndLine();
    } else if (At("\\\n") || At("\\\r")) {
      position_ += At("\\\r\n") ? 3 : 2;
    } else if (const std::size_t prefix = StringPrefix(); prefix != std::string_view::npos) {
      String(prefix);
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      Number();
    } else if (IsNameByte(c)) {
      const std::size_t begin = position_;
      while (IsNameByte(Peek())) ++position_;
      Add(PythonKind::kName, begin, std::string(text_.substr(begin, position_ - begin)));
    } else {
      Operator();
    }
  }

  void EndLine() {
    const std::size_t begin = position_;
    position_ += At("\r\n") ? 2 : 1;
    if (!brackets_.empty()) return;
    at_line_start_ = true;
    const bool blank = tokens_.empty() || tokens_.back().kind == PythonKind::kNewline ||
                       tokens_.back().kind == PythonKind::kIndent ||
                       tokens_.back().kind == PythonKind::kDedent;
    if (blank) return;
    tokens_.push_back({PythonKind::kNewline, "", "", source_.At(begin, begin)});
  }

  // The length of the letters before a quote, if a string starts here.
  std::size_t StringPrefix() const {
    std::size_t length = 0;
    while (length < 3 && std::string_view("rRbBuUfFtT").find(Peek(length)) < 10) ++length;
    return Peek(length) == '"' || Peek(length) == '\'' ? length : std::string_view::npos;
  }

  void String(std::size_t prefix_length) {
    const std::size_t begin = position_;
    const std::string_view prefix = text_.substr(begin, prefix_length);
    position_ += prefix_length;
    const char quote = Peek();
    const bool triple = Peek(1) == quote && Peek(2) == quote;
    const std::string end(triple ? 3 : 1, quote);
    position_ += end.size();
    const std::size_t body = position_;
    while (position_ >= text_.size() || !At(end)) {
      if (position_ >= text_.size() || (AtLineEnd() && !triple)) {
        return Fail(begin, body, "the string has no end");
      }
      position_ += Peek() != '\\' ? 1 : At("\\\r\n") ? 3 : 2;
      position_ = std::min(position_, text_.size());
    }
    const std::string_view content = text_.substr(body, position_ - body);
    position_ += end.size();
    const auto has = [&](std::string_view letters) {
      return prefix.find_first_of(letters) != std::string_view::npos;
    };
    std::optional<std::string> value;
    if (!has("bBfFtT")) value = has("rR") ? std::string(content) : DecodePythonString(content);
    const char* problem = has("bB")     ? "a bytes literal"
                          : has("fFtT") ? "a string with computed parts"
                          : !value      ? "a string with an unknown escape"
                                        : "";
    Add(PythonKind::kString, begin, value.value_or(""), problem);
  }

  void Number() {
    const std::size_t begin = position_;
    while (IsNameByte(Peek()) || Peek() == '.' ||
           ((Peek() == '+' || Peek() == '-') && (text_[position_ - 1] | 0x20) == 'e' &&
            !text_.substr(begin).starts_with("0x"))) {
      ++position_;
    }
    Add(PythonKind::kNumber, begin, std::string(text_.substr(begin, position_ - begin)));
  }

  void Operator() {
    static constexpr std::string_view kLong[] = {
        "**=", "//=", ">>=", "<<=", "...", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
        "^=",  "@=",  "==",  "!=",  "<=",  ">=", "->", ":=", "**", "//", "<<", ">>"};
    const std::size_t begin = position_;
    std::size_t length = 1;
    for (const std::string_view text : kLong) {
      if (length == 1 && At(text)) length = text.size();
    }
    const char c = Peek();
    position_ += length;
    if (c == '(' || c == '[' || c == '{') brackets_.push_back(begin);
    if (c == ')' || c == ']' || c == '}') CloseBracket(c, begin);
    Add(PythonKind::kOperator, begin, std::string(text_.substr(begin, length)));
  }

  void CloseBracket(char close, std::size_t begin) {
    const char open = close == ')' ? '(' : close == ']' ? '[' : '{';
    if (brackets_.empty() || text_[brackets_.back()] != open) {
      return Fail(begin, begin + 1, "the bracket closes nothing");
    }
    brackets_.pop_back();
  }

  const SourceText& source_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  std::size_t position_ = 0;
  bool at_line_start_ = true;
  bool failed_ = false;
  std::vector<std::size_t> brackets_;
  std::vector<int> indents_ = {0};
  std::vector<PythonToken> tokens_;
};

}  // namespace

std::optional<std::vector<PythonToken>> LexPython(const SourceText& source,
                                                  Diagnostics& diagnostics) {
  return Lexer(source, diagnostics).Run();
}

namespace {

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// `minimum` to `maximum` digits from `position` on, which it passes.
std::optional<char32_t> TakeDigits(std::string_view body, std::size_t& position, int base,
                                   std::size_t minimum, std::size_t maximum) {
  char32_t value = 0;
  std::size_t count = 0;
  while (count < maximum && position < body.size() && DigitValue(body[position]) < base) {
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(DigitValue(body[position]));
    ++position;
    ++count;
  }
  if (count < minimum) return std::nullopt;
  return value;
}

// One escape, `position` after the backslash. False where it is malformed.
bool AppendEscape(std::string_view body, std::size_t& position, std::string& out) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"";
  static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
  const char c = body[position];
  if (c == '\n') return ++position, true;
  if (c == '\r') {
    position += body.substr(position).starts_with("\r\n") ? 2 : 1;
    return true;
  }
  if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos) {
    out += kValues[letter];
    return ++position, true;
  }
  if (c == 'N') return false;
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  std::optional<char32_t> value;
  if (digits > 0) {
    value = TakeDigits(body, ++position, 16, digits, digits);
  } else if (DigitValue(c) < 8) {
    value = TakeDigits(body, position, 8, 1, 3);
  } else {
    out += '\\';  // an unknown escape stands for itself
    return true;
  }
  // What UTF-8 cannot hold: beyond the last character, or half of a pair.
  if (!value || *value > 0x10FFFF || (*value >= 0xD800 && *value < 0xE000)) return false;
  AppendUtf8(*value, out);
  return true;
}

}  // namespace

std::optional<std::string> DecodePythonString(std::string_view body) {
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i++];
    } else if (!AppendEscape(body, ++i, out)) {
      return std::nullopt;
    }
  }
  return out;
}

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
