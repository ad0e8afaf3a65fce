// Tokens with their spelling, either raw or from the preprocessor: matching brackets, splitting
// arguments, and canonical text.
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

// 32 bytes, since lists of tokens are long.
struct TextToken {
  clang::tok::TokenKind kind = clang::tok::eof;
  bool starts_line = false;
  bool directive = false;               // belongs to a directive, including its '#'
  clang::SourceLocation location = {};  // of a token from the preprocessor
  std::string_view text = {};           // without line continuations; not owned
  Offset begin = 0;                     // of a raw token
  Offset end = 0;

  bool Is(clang::tok::TokenKind other) const { return kind == other; }
  bool Is(std::string_view word) const { return text == word; }
  // Keywords are also names in raw tokens.
  bool IsName() const {
    return kind == clang::tok::raw_identifier || kind == clang::tok::identifier;
  }
};

using TokenSpan = std::span<const TextToken>;

// Which tokens of directives a list keeps.
enum class Directives {
  kNone,
  kConditionals,  // one token for each #if, #else, #endif and so on, whose text is the keyword
  kAll
};

// The raw tokens of a text, which must outlive them. A NUL byte must follow the text in memory.
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
  std::forward_list<std::string> cleaned_;  // spellings without line continuations
};

// Returns the keyword of the directive whose '#' is at `hash`, or an empty text.
std::string_view DirectiveAt(TokenSpan tokens, std::size_t hash);

// Returns the first token after the directive whose '#' is at `hash`.
std::size_t BehindDirective(TokenSpan tokens, std::size_t hash);

// Returns "ElemwiseType<1, 1>": a space after a comma and between words. Contents of braces become
// {...}.
std::string CanonicalText(TokenSpan tokens);

// Returns the tokens as one text, with spaces only between words, including the contents of braces.
std::string DenseText(TokenSpan tokens);

// Returns the joined value of string literals, which may be in parentheses. Returns nullopt for
// anything else.
std::optional<std::string> StringValue(TokenSpan tokens);

// Returns the string literals of the `return` that has the most. Without `return`, returns all.
std::string ReturnedStrings(TokenSpan tokens);

// Splits at commas outside brackets and template arguments.
std::vector<TokenSpan> SplitArguments(TokenSpan tokens);

inline bool OpensBracket(clang::tok::TokenKind kind) {  // ( [ {
  return kind == clang::tok::l_paren || kind == clang::tok::l_square || kind == clang::tok::l_brace;
}
inline bool ClosesBracket(clang::tok::TokenKind kind) {
  return kind == clang::tok::r_paren || kind == clang::tok::r_square || kind == clang::tok::r_brace;
}

// Returns the index of the bracket that matches the one at `open`, or size(). Elements need a
// `kind`.
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

// Returns the index after the bracket that matches the one at `open`, or size().
std::size_t BehindBracket(TokenSpan tokens, std::size_t open);

// Returns the tokens between the bracket at `open` and the matching one, or the end.
TokenSpan InsideBracket(TokenSpan tokens, std::size_t open);

// Returns the calls of functions in `wanted` as text: "f ( a , b ) ; g ( c ) ;".
std::string CallsOf(TokenSpan tokens, const std::vector<std::string>& wanted);

// The parts of a macro definition, "NAME(parameters) body".
struct MacroParts {
  bool function_like = false;
  bool variadic = false;  // the last parameter takes all remaining arguments
  std::vector<std::string_view> parameters;
  TokenSpan body;
};
MacroParts PartsOfMacro(TokenSpan definition);

// Returns the argument at the 0-based index, or an empty span.
TokenSpan ArgumentAt(std::span<const TokenSpan> arguments, int index);

}  // namespace opledger::scan
