// Splits an #if expression into tokens; see lexer.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/lexer.h"

#include <algorithm>
#include <map>

namespace opledger {
namespace {

using TokenKind = ConditionToken::Kind;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::optional<std::vector<ConditionToken>> Run() {
    std::vector<ConditionToken> tokens;
    while (SkipBlank() && position_ < text_.size()) tokens.push_back(Next());
    if (failed_) return std::nullopt;
    tokens.emplace_back();
    return tokens;
  }

 private:
  bool At(std::string_view start) const { return text_.substr(position_).starts_with(start); }
  char Peek(std::size_t ahead) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }

  // Skips white space and comments. Returns false after an error.
  bool SkipBlank() {
    while (!failed_ && position_ < text_.size()) {
      if (IsSpace(Peek(0))) {
        ++position_;
      } else if (At("\\\n") || At("\\\r\n")) {
        position_ += 2;
      } else if (At("//")) {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (At("/*")) {
        const std::size_t end = text_.find("*/", position_ + 2);
        failed_ = end == std::string_view::npos;
        position_ = failed_ ? text_.size() : end + 2;
      } else {
        break;
      }
    }
    return !failed_;
  }

  ConditionToken Next() {
    const char c = Peek(0);
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1))))
      return Take(TokenKind::kNumber, NumberLength());
    if (c == '"') return Take(TokenKind::kString, QuotedLength(0));
    const std::size_t prefix = At("u8'") ? 2 : At("u'") || At("U'") || At("L'") ? 1 : 0;
    if (c == '\'' || prefix > 0) return Take(TokenKind::kCharacter, QuotedLength(prefix));
    if (IsIdentifierByte(c)) return TakeWord();
    return Take(TokenKind::kPunctuator, PunctuatorLength());
  }

  ConditionToken Take(TokenKind kind, std::size_t length) {
    ConditionToken token{kind, std::string(text_.substr(position_, length))};
    position_ += token.text.size();
    return token;
  }

  ConditionToken TakeWord() {
    static const std::map<std::string, std::string, std::less<>> kAlternatives = {
        {"and", "&&"},   {"or", "||"},   {"not", "!"}, {"not_eq", "!="},
        {"bitand", "&"}, {"bitor", "|"}, {"xor", "^"}, {"compl", "~"},
    };
    std::size_t length = 0;
    while (IsIdentifierByte(Peek(length))) ++length;
    ConditionToken token = Take(TokenKind::kIdentifier, length);
    const auto alternative = kAlternatives.find(token.text);
    if (alternative == kAlternatives.end()) return token;
    return {TokenKind::kPunctuator, alternative->second};
  }

  // A preprocessing number, which as in C includes invalid spellings.
  std::size_t NumberLength() const {
    std::size_t length = 1;
    while (true) {
      const char c = Peek(length);
      const char last = Peek(length - 1);
      const bool exponent = last == 'e' || last == 'E' || last == 'p' || last == 'P';
      const bool sign = (c == '+' || c == '-') && exponent && !IsHexadecimal();
      const bool separator = c == '\'' && IsIdentifierByte(Peek(length + 1));
      if (!IsIdentifierByte(c) && c != '.' && !sign && !separator) return length;
      ++length;
    }
  }

  // Strictly, 0xE+1 is one (invalid) token. Authors mean a sum, so it is read as one.
  bool IsHexadecimal() const { return At("0x") || At("0X"); }

  std::size_t QuotedLength(std::size_t prefix) {
    const char quote = Peek(prefix);
    for (std::size_t i = prefix + 1; position_ + i < text_.size(); ++i) {
      if (Peek(i) == '\n') break;
      if (Peek(i) == quote) return i + 1;
      if (Peek(i) == '\\') ++i;
    }
    failed_ = true;
    return text_.size();
  }

  std::size_t PunctuatorLength() const {
    for (const char* two : {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"}) {
      if (At(two)) return 2;
    }
    return 1;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace

bool IsIdentifierByte(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || IsDigit(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

std::optional<std::vector<ConditionToken>> LexCondition(std::string_view text) {
  return Lexer(text).Run();
}

}  // namespace opledger
