// What tokens say by themselves: a call or a declaration, whose method, what is done with a
// variable, what a kernel's arguments name. In: the tokens of a unit after preprocessing, one at a
// time, with those before them at hand; out: small answers, from which the matcher makes facts.
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
  // Of a token among all of the unit; before the first one is none.
  using Index = std::ptrdiff_t;
  static constexpr Index kNone = -1;

  // `keep_all`: what stands far before a token may be asked for too. `recorder` may be null.
  TokenStream(clang::Preprocessor& preprocessor, TokenRecorder* recorder, bool keep_all);

  // To the next token; stays at the end.
  void Advance();
  const clang::Token& token() const { return token_; }
  bool Is(clang::tok::TokenKind kind) const { return token_.is(kind); }
  bool AtEnd() const { return token_.is(clang::tok::eof); }
  const clang::Token& LookAhead(unsigned tokens) const;  // 0: the next one
  Index position() const { return position_; }
  int braces() const { return braces_; }            // that are open before the token
  int brackets() const { return brackets_; }        // the same of ( and [
  std::size_t strange() const { return strange_; }  // tokens that are none of C++
  bool too_many() const { return too_many_; }       // a macro bomb: the rest was not read

  // Lives as long as the preprocessor.
  std::string_view Spelling(const clang::Token& token) const;
  TextToken Keep() const { return Keep(token_); }

  // Of the current token or one before it; eof, null or empty where it is not kept.
  clang::tok::TokenKind KindAt(Index at) const;
  const clang::IdentifierInfo* NameAt(Index at) const;
  std::string_view TextAt(Index at) const;
  // The tokens from `begin` up to `end`.
  std::vector<TextToken> Tokens(Index begin, Index end) const;

  // The bracket that the one at `close` closes; ) ] } and >.
  Index OpeningOf(Index close) const;
  // The innermost bracket that is open before `at`: ( [ {.
  Index Enclosing(Index at) const;
  // The same of {.
  Index EnclosingBrace(Index at) const;
  // The '<' of the template arguments in which the token stands.
  Index EnclosingAngle(Index at) const;
  // The first token of the (qualified) name that ends at `at`: of ns::Type<T>::name, its ns.
  Index NameBegin(Index at) const;
  // The first token of the statement, or of the piece of a class or block, that holds `at`.
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
