// Answers questions about tokens: call or declaration, class of a method, use of a variable, types
// of a kernel's arguments. In: the tokens of a unit after preprocessing, one at a time, with the
// preceding tokens available. Out: small answers from which the matcher makes facts.
// May include: registry/dialect, registry/manifest, registry/text, registry/scan/facts,
// registry/scan/lex, registry/scan/preprocess.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "clang/Lex/Token.h"
#include "registry/scan/lex/token_text.h"

namespace clang {
class IdentifierInfo;
class Preprocessor;
}  // namespace clang

namespace opledger::scan {

class TokenRecorder;

// * & &&
bool IsReference(clang::tok::TokenKind kind);

class TokenStream {
 public:
  // Position of a token in the unit; kNone is before the first one.
  using Index = std::ptrdiff_t;
  static constexpr Index kNone = -1;

  // `keep_all`: tokens far before the current one may be needed. `recorder` may be null.
  TokenStream(clang::Preprocessor& preprocessor, TokenRecorder* recorder, bool keep_all);

  // Moves to the next token; stays at the end.
  void Advance();
  const clang::Token& token() const { return token_; }
  bool Is(clang::tok::TokenKind kind) const { return token_.is(kind); }
  bool AtEnd() const { return token_.is(clang::tok::eof); }
  const clang::Token& LookAhead(unsigned tokens) const;  // 0: the next one
  Index position() const { return position_; }
  int braces() const { return braces_; }            // number of braces open before the token
  int brackets() const { return brackets_; }        // number of ( and [ open before the token
  std::size_t strange() const { return strange_; }  // number of tokens that are not C++
  bool too_many() const { return too_many_; }       // a macro bomb: the rest was not read

  // The result lives as long as the preprocessor.
  std::string_view Spelling(const clang::Token& token) const;
  TextToken Keep() const { return Keep(token_); }

  // For the current token or an earlier one. Return eof, null or "" if it is not kept.
  clang::tok::TokenKind KindAt(Index at) const;
  const clang::IdentifierInfo* NameAt(Index at) const;
  std::string_view TextAt(Index at) const;
  // Returns the tokens from `begin` up to but excluding `end`.
  std::vector<TextToken> Tokens(Index begin, Index end) const;

  // Returns the bracket that the one at `close` closes: ) ] } or >.
  Index OpeningOf(Index close) const;
  // Returns the innermost bracket that is open before `at`: ( [ {.
  Index Enclosing(Index at) const;
  // Returns the innermost { that is open before `at`.
  Index EnclosingBrace(Index at) const;
  // Returns the '<' of the template arguments that contain the token.
  Index EnclosingAngle(Index at) const;
  // Returns the first token of the (qualified) name that ends at `at`: the ns of ns::Type<T>::name.
  Index NameBegin(Index at) const;
  // Returns the first token of the statement, class member or block item that contains `at`.
  Index StatementBegin(Index at) const;

 private:
  TextToken Keep(const clang::Token& token) const;
  const clang::Token* At(Index at) const;

  clang::Preprocessor& preprocessor_;
  TokenRecorder* recorder_;
  std::size_t most_kept_;
  clang::Token token_;
  Index position_ = kNone;
  Index first_kept_ = 0;
  std::vector<clang::Token> kept_;
  int braces_ = 0;
  int brackets_ = 0;
  std::size_t strange_ = 0;
  bool too_many_ = false;
};

}  // namespace opledger::scan
