// Returns the raw tokens of a buffer, as Clang's lexer does, with byte offsets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "registry/scan/lex/lex.h"
#include "registry/scan/lex/plain_lexer.h"

namespace opledger::scan {

// C++20 with '$' in identifiers and without trigraphs, for all sources.
const clang::LangOptions& SourceLanguage();

class RawLexer {
 public:
  // A NUL byte must follow `text` in memory.
  explicit RawLexer(std::string_view text);

  // Fills in the token in place. Returning it would stall on partially written fields.
  void Next(RawToken& token) {
    if (!plain_.Next(token)) LexWithClang(token);
  }
  RawToken Next() {
    RawToken token;
    Next(token);
    return token;
  }
  // Skips from the '#' of a directive to the first token after it.
  void SkipDirective(RawToken& token) {
    do Next(token);
    while (!token.starts_line && !token.Is(clang::tok::eof));
  }
  // Returns the next token outside directives.
  void NextOfCode(RawToken& token) {
    Next(token);
    while (token.Is(clang::tok::hash) && token.starts_line) SkipDirective(token);
  }
  // Returns the spelling of the token without line continuations.
  std::string_view Text(const RawToken& token) {
    std::string_view text = text_.substr(token.begin, token.end - token.begin);
    return token.dirty ? Clean(text) : text;
  }

 private:
  void LexWithClang(RawToken& raw);
  std::string_view Clean(std::string_view text);

  std::string_view text_;
  clang::Lexer lexer_;
  PlainLexer plain_;
  std::string clean_;
};

}  // namespace opledger::scan
