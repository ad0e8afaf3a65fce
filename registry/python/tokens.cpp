// Splits a Python module into tokens; see tokens.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/tokens.h"

#include <algorithm>
#include <string>
#include <utility>

#include "registry/python/number.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

using PythonTokenKind = PythonToken::Kind;

// The limits of CPython.
constexpr std::size_t kMaxOpenBrackets = 200;
constexpr std::size_t kMaxIndents = 100;

constexpr int kMaxErrors = 100;
constexpr std::size_t kNoPrefix = std::string_view::npos;

bool IsPythonNameByte(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsPythonStringPrefix(std::string_view letters) {
  static constexpr std::string_view kPrefixes[] = {"",   "r",  "u",  "b",  "f",  "t",
                                                   "br", "rb", "fr", "rf", "tr", "rt"};
  std::string lower(letters);
  for (char& c : lower) c = static_cast<char>(c | 0x20);
  return std::find(std::begin(kPrefixes), std::end(kPrefixes), lower) != std::end(kPrefixes);
}

class PythonLexer {
 public:
  PythonLexer(const SourceText& source, bool tolerant, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), text_(source.text()), tolerant_(tolerant) {
    if (At("\xEF\xBB\xBF")) position_ = 3;
  }

  std::optional<std::vector<PythonToken>> Run() {
    CheckBytes();
    if (failed_) return std::nullopt;
    do {
      ReadAll();
    } while (failed_ && GoOn());
    if (failed_) return std::nullopt;
    if (!AtStatement()) Add(PythonTokenKind::kNewline, position_);
    for (; indents_.size() > 1; indents_.pop_back()) Add(PythonTokenKind::kDedent, position_);
    Add(PythonTokenKind::kEnd, position_);
    return std::move(tokens_);
  }

 private:
  // A format string being read, and its open braces.
  struct Format {
    std::size_t begin;
    std::string end;
    bool raw;
    bool in_text = true;
    std::vector<std::size_t> braces = {};  // number of open brackets inside each
  };

  struct Indent {
    int column;        // with tab stops every 8 columns
    int other_column;  // with tabs counted as one column
  };

  void ReadAll() {
    while (!failed_ && position_ < text_.size()) {
      if (!formats_.empty() && formats_.back().in_text) {
        FormatText();
      } else if (at_line_start_ && brackets_.empty()) {
        Indentation();
      } else {
        Next();
      }
    }
    if (!failed_ && !formats_.empty()) Fail(formats_.back().begin, "unterminated string");
    if (!failed_ && !brackets_.empty()) Fail(brackets_.back(), "unclosed bracket");
  }

  bool At(std::string_view start) const { return text_.substr(position_).starts_with(start); }
  char Peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  bool AtLineEnd() const { return position_ >= text_.size() || Peek() == '\n' || Peek() == '\r'; }

  void Add(PythonTokenKind kind, std::size_t begin) {
    tokens_.push_back({kind, static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(position_),
                       text_.substr(begin, position_ - begin)});
  }

  void Fail(std::size_t begin, std::string message) {
    if (failed_) return;
    if (tolerant_ && !brackets_.empty()) {  // its lines may have been misinterpreted
      begin = brackets_.front();
      message = "unclosed bracket";
    }
    const std::size_t end = std::min(begin + 1, text_.size());
    source_.Report(Severity::kError, source_.At(begin, end), std::move(message), "", diagnostics_);
    failed_ = true;
    failed_at_ = begin;
  }

  // Leaves out the statement and continues after the line of the error. Returns false if it must
  // not continue.
  bool GoOn() {
    if (!tolerant_ || ++errors_ > kMaxErrors) return false;
    while (!AtStatement()) tokens_.pop_back();
    brackets_.clear();
    formats_.clear();
    position_ = std::min(text_.find('\n', failed_at_), text_.size());
    at_line_start_ = false;
    failed_ = false;
    return true;
  }

  void CheckBytes() {
    if (text_.size() >= 0xFFFFFFFF) return Fail(0, "the file is larger than 4 GiB");
    const std::size_t null = text_.find('\0');
    if (null != std::string_view::npos) return Fail(null, "null byte");
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t length =
          static_cast<unsigned char>(text_[i]) < 0x80 ? 1 : DecodeUtf8(text_, i).length;
      if (length == 0) return Fail(i, "invalid UTF-8");
      i += length;
    }
  }

  // Blank lines and comment lines have no indentation.
  void Indentation() {
    Indent indent = {0, 0};
    for (; Peek() == ' ' || Peek() == '\t' || Peek() == '\f'; ++position_) {
      const bool tab = Peek() == '\t';
      indent = {tab ? (indent.column / 8 + 1) * 8 : indent.column + 1, indent.other_column + 1};
      if (Peek() == '\f') indent = {0, 0};
    }
    at_line_start_ = false;
    if (AtLineEnd() || Peek() == '#') return;
    if (indent.column > indents_.back().column) {
      if (indents_.size() == kMaxIndents) {
        return Fail(position_, "blocks are nested too deeply");
      }
      CheckTabs(indent.other_column > indents_.back().other_column);
      indents_.push_back(indent);
      return Add(PythonTokenKind::kIndent, position_);
    }
    for (; indent.column < indents_.back().column; indents_.pop_back()) {
      Add(PythonTokenKind::kDedent, position_);
    }
    if (indent.column != indents_.back().column) {
      return Fail(position_, "the indentation does not match any outer block");
    }
    CheckTabs(indent.other_column == indents_.back().other_column);
  }

  void CheckTabs(bool consistent) {
    if (!consistent) Fail(position_, "inconsistent use of tabs and spaces in the indentation");
  }

  void Next() {
    const char c = Peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++position_;
    } else if (c == '#') {
      while (!AtLineEnd()) ++position_;
    } else if (c == '\n' || c == '\r') {
      EndLine();
    } else if (c == '\\') {
      Continuation();
    } else if (const std::size_t prefix = StringPrefix(); prefix != kNoPrefix) {
      String(prefix);
    } else if ((c >= '0' && c <= '9') || (c == '.' && Peek(1) >= '0' && Peek(1) <= '9')) {
      Number();
    } else if (IsPythonNameByte(c)) {
      const std::size_t begin = position_;
      while (IsPythonNameByte(Peek())) ++position_;
      Add(PythonTokenKind::kName, begin);
    } else if (!FormatOperator()) {
      Operator();
    }
  }

  // Returns whether no token of a statement has been read yet.
  bool AtStatement() const {
    if (tokens_.empty()) return true;
    const PythonTokenKind last = tokens_.back().kind;
    return last == PythonTokenKind::kNewline || last == PythonTokenKind::kIndent ||
           last == PythonTokenKind::kDedent;
  }

  void EndLine() {
    const std::size_t begin = position_;
    if (brackets_.empty()) {
      at_line_start_ = true;
      if (!AtStatement()) Add(PythonTokenKind::kNewline, begin);
    }
    position_ += At("\r\n") ? 2 : 1;
  }

  void Continuation() {
    const std::size_t length = At("\\\r\n") ? 3 : At("\\\n") || At("\\\r") ? 2 : 0;
    if (length == 0 || position_ + length >= text_.size()) {
      return Fail(position_, "a line continuation must be followed by another line");
    }
    position_ += length;
  }

  // Returns the length of the string prefix if a string starts here.
  std::size_t StringPrefix() const {
    std::size_t length = 0;
    while (length < 3 && std::string_view("rRbBuUfFtT").find(Peek(length)) < 10) ++length;
    if (Peek(length) != '"' && Peek(length) != '\'') return kNoPrefix;
    return IsPythonStringPrefix(text_.substr(position_, length)) ? length : kNoPrefix;
  }

  void String(std::size_t prefix_length) {
    const std::size_t begin = position_;
    const std::string_view prefix = text_.substr(begin, prefix_length);
    position_ += prefix_length;
    const char quote = Peek();
    const bool triple = Peek(1) == quote && Peek(2) == quote;
    const std::string end(triple ? 3 : 1, quote);
    position_ += end.size();
    if (prefix.find_first_of("fFtT") != std::string_view::npos) {
      if (formats_.size() == kMaxIndents) return Fail(begin, "strings are nested too deeply");
      Add(PythonTokenKind::kFormatStart, begin);
      formats_.push_back({begin, end, prefix.find_first_of("rR") != std::string_view::npos});
      return;
    }
    while (position_ >= text_.size() || !At(end)) {
      if (position_ >= text_.size() || (AtLineEnd() && !triple)) {
        return Fail(begin, "unterminated string");
      }
      PassCharacter();
    }
    position_ += end.size();
    Add(PythonTokenKind::kString, begin);
  }

  // Skips a character of a string; a backslash includes the next one.
  void PassCharacter() {
    position_ += Peek() != '\\' ? 1 : At("\\\r\n") ? 3 : 2;
    position_ = std::min(position_, text_.size());
  }

  // Reads up to the next brace or the end of the format string, which becomes a token too.
  void FormatText() {
    Format& format = formats_.back();
    const bool in_spec = !format.braces.empty();
    const std::size_t begin = position_;
    for (;;) {
      if (AtLineEnd() && (position_ >= text_.size() || format.end.size() == 1)) {
        return Fail(format.begin, "unterminated string");
      }
      const char c = Peek();
      if (At(format.end)) return in_spec ? Fail(position_, "expected '}'") : EndFormat(begin);
      if ((c == '{' || c == '}') && Peek(1) == c && !in_spec) return DoubledBrace(begin);
      if (c == '{') return OpenBrace(begin);
      if (c == '}') return in_spec ? CloseBrace(begin) : Fail(position_, "unmatched '}'");
      PassFormatCharacter(format.raw);
    }
  }

  // The braces of \N{DASH} do not count. A backslash before a brace is a plain backslash.
  void PassFormatCharacter(bool raw) {
    if (Peek() == '\\' && (Peek(1) == '{' || Peek(1) == '}')) {
      ++position_;
    } else if (!raw && At("\\N{")) {
      while (!AtLineEnd() && Peek() != '}') ++position_;
      if (Peek() == '}') ++position_;
    } else {
      PassCharacter();
    }
  }

  void AddFormatText(std::size_t begin) {
    if (position_ > begin) Add(PythonTokenKind::kFormatText, begin);
  }

  void DoubledBrace(std::size_t begin) {
    ++position_;
    AddFormatText(begin);
    ++position_;
  }

  void EndFormat(std::size_t begin) {
    AddFormatText(begin);
    const std::size_t quote = position_;
    position_ += formats_.back().end.size();
    Add(PythonTokenKind::kFormatEnd, quote);
    formats_.pop_back();
  }

  void OpenBrace(std::size_t begin) {
    AddFormatText(begin);
    const std::size_t brace = position_++;
    OpenBracket(brace);
    formats_.back().braces.push_back(brackets_.size());
    formats_.back().in_text = false;
    Add(PythonTokenKind::kOperator, brace);
  }

  void CloseBrace(std::size_t begin) {
    AddFormatText(begin);
    const std::size_t brace = position_++;
    brackets_.pop_back();
    formats_.back().braces.pop_back();
    formats_.back().in_text = true;
    Add(PythonTokenKind::kOperator, brace);
  }

  // Handles the end of an expression in a format string. Returns false if the expression continues.
  bool FormatOperator() {
    if (formats_.empty() || formats_.back().braces.back() != brackets_.size()) return false;
    const char c = Peek();
    if (c == '}') {
      CloseBrace(position_);
    } else if (c == ':') {
      const std::size_t begin = position_++;
      Add(PythonTokenKind::kOperator, begin);
      formats_.back().in_text = true;
    } else if (c == '!' && Peek(1) != '=') {
      const std::size_t begin = position_++;
      Add(PythonTokenKind::kOperator, begin);
    } else {
      return false;
    }
    return true;
  }

  void Number() {
    const std::size_t begin = position_;
    const std::size_t length = PythonNumberLength(text_.substr(begin));
    if (length == 0) return Fail(begin, "invalid number");
    position_ += length;
    Add(PythonTokenKind::kNumber, begin);
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
    if (length == 1 && std::string_view("()[]{}+-*/%@&|^~<>=:,.;").find(c) == kNoPrefix) {
      return Fail(begin, "unexpected character");
    }
    position_ += length;
    if (c == '(' || c == '[' || c == '{') OpenBracket(begin);
    if (c == ')' || c == ']' || c == '}') CloseBracket(c, begin);
    Add(PythonTokenKind::kOperator, begin);
  }

  void OpenBracket(std::size_t begin) {
    if (brackets_.size() == kMaxOpenBrackets) {
      Fail(begin, "brackets are nested too deeply");
    }
    brackets_.push_back(begin);
  }

  void CloseBracket(char close, std::size_t begin) {
    const char open = close == ')' ? '(' : close == ']' ? '[' : '{';
    if (brackets_.empty() || text_[brackets_.back()] != open) {
      return Fail(begin, "unmatched bracket");
    }
    brackets_.pop_back();
  }

  const SourceText& source_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  bool tolerant_;
  std::size_t position_ = 0;
  bool at_line_start_ = true;
  bool failed_ = false;
  std::size_t failed_at_ = 0;
  int errors_ = 0;
  std::vector<std::size_t> brackets_;
  std::vector<Format> formats_;
  std::vector<Indent> indents_ = {{0, 0}};
  std::vector<PythonToken> tokens_;
};

}  // namespace

std::optional<std::vector<PythonToken>> LexPython(const SourceText& source,
                                                  Diagnostics& diagnostics) {
  return PythonLexer(source, false, diagnostics).Run();
}

std::optional<std::vector<PythonToken>> LexPythonStatements(const SourceText& source,
                                                            Diagnostics& diagnostics) {
  return PythonLexer(source, true, diagnostics).Run();
}

bool IsPythonKeyword(std::string_view name) {
  static constexpr std::string_view kKeywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), name);
}

}  // namespace opledger
