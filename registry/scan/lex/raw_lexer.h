// The raw tokens of a buffer, without preprocessor, as Clang's lexer gives them, with byte offsets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "registry/scan/lex/lex.h"
#include "registry/scan/lex/plain_lexer.h"

namespace opledger::scan {

// C++20 with '$' in identifiers, without trigraphs: what every source is read as.
const clang::LangOptions& SourceLanguage();

class RawLexer {
 public:
  // A NUL byte must follow `text` in memory.
  explicit RawLexer(std::string_view text);

  // In place: a copy would have to wait until the processor has put the parts together.
  void Next(RawToken& token) {
    if (!plain_.Next(token)) LexWithClang(token);
  }
  RawToken Next() {
    RawToken token;
    Next(token);
    return token;
  }
  // From the '#' of a directive to the first token behind it.
  void SkipDirective(RawToken& token) {
    do Next(token);
    while (!token.starts_line && !token.Is(clang::tok::eof));
  }
  // The next token outside directives.
  void NextOfCode(RawToken& token) {
    Next(token);
    while (token.Is(clang::tok::hash) && token.starts_line) SkipDirective(token);
  }
  // The token's spelling, line continuations removed.
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
