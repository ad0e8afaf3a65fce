// Tokens with their spelling: of a text as it is written, or as the preprocessor makes them. What
// brackets they pair, what arguments they separate, and their canonical text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/TokenKinds.h"
#include "registry/scan/lex/lex.h"

namespace opledger::scan {

class RawLexer;

// 32 bytes, since lists of them are long.
struct TextToken {
  clang::tok::TokenKind kind = clang::tok::eof;
  bool starts_line = false;
  bool directive = false;               // belongs to one, as does its '#'
  clang::SourceLocation location = {};  // of a token of the preprocessor
  std::string_view text = {};           // line continuations removed; kept by others
  Offset begin = 0;                     // of a token of a text
  Offset end = 0;

  bool Is(clang::tok::TokenKind other) const { return kind == other; }
  bool Is(std::string_view word) const { return text == word; }
  // Of a text, keywords are names too.
  bool IsName() const {
    return kind == clang::tok::raw_identifier || kind == clang::tok::identifier;
  }
};

using TokenSpan = std::span<const TextToken>;

// Which tokens of directives a list holds.
enum class Directives {
  kNone,
  kConditionals,  // of an #if, #else, #endif and the like one, whose text is the keyword
  kAll
};

// The raw tokens of a text, which must outlive them. A NUL byte must follow it in memory.
class LexedText {
 public:
  explicit LexedText(std::string_view text, Directives kept = Directives::kAll);
  LexedText(LexedText&&) = default;
  LexedText& operator=(LexedText&&) = default;

  std::vector<TextToken> tokens;

 private:
  void AddDirective(RawLexer& lexer, RawToken& raw, Directives kept);
  void Add(RawLexer& lexer, const RawToken& raw, bool directive);

  std::string_view text_;
  std::forward_list<std::string> cleaned_;  // spellings without their line continuations
};

// At the '#' of a directive: its keyword; empty where it has none.
std::string_view DirectiveAt(TokenSpan tokens, std::size_t hash);

// The first token behind the directive whose '#' is at `hash`.
std::size_t BehindDirective(TokenSpan tokens, std::size_t hash);

// "ElemwiseType<1, 1>": a space after a comma and between words, what stands in braces as {...}.
std::string CanonicalText(TokenSpan tokens);

// The tokens as one text, with a space between words only; what stands in braces included.
std::string DenseText(TokenSpan tokens);

// The value of string literals, joined, parentheses around them allowed; none for anything else.
std::optional<std::string> StringValue(TokenSpan tokens);

// The string literals after the `return` that has most of them; without `return`, all of them.
std::string ReturnedStrings(TokenSpan tokens);

// Splits at commas that stand in no bracket, template arguments included.
std::vector<TokenSpan> SplitArguments(TokenSpan tokens);

inline bool OpensBracket(clang::tok::TokenKind kind) {  // ( [ {
  return kind == clang::tok::l_paren || kind == clang::tok::l_square || kind == clang::tok::l_brace;
}
inline bool ClosesBracket(clang::tok::TokenKind kind) {
  return kind == clang::tok::r_paren || kind == clang::tok::r_square || kind == clang::tok::r_brace;
}

// Where the bracket that opens at `open` closes; the end where it does not. Of anything with kinds.
template <typename Tokens>
std::size_t ClosingBracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    depth += OpensBracket(tokens[at].kind);
    depth -= ClosesBracket(tokens[at].kind);
    if (depth == 0) return at;
  }
  return tokens.size();
}

// Behind the bracket that closes the one at `open`; the end where none does.
std::size_t BehindBracket(TokenSpan tokens, std::size_t open);

// What stands between the bracket at `open` and the one that closes it, or the end.
TokenSpan InsideBracket(TokenSpan tokens, std::size_t open);

// The calls in `tokens` of functions named in `wanted`, as tokens: "f ( a , b ) ; g ( c ) ;".
std::string CallsOf(TokenSpan tokens, const std::vector<std::string>& wanted);

// Of a macro's definition, "NAME(parameters) body".
struct MacroParts {
  bool function_like = false;
  bool variadic = false;  // the last parameter takes all that is left
  std::vector<std::string_view> parameters;
  TokenSpan body;
};
MacroParts PartsOfMacro(TokenSpan definition);

// The argument of that index, counted from 0; empty where there is none.
TokenSpan ArgumentAt(std::span<const TokenSpan> arguments, int index);

}  // namespace opledger::scan
