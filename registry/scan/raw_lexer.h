// Clang's lexer over a buffer, without preprocessor: raw tokens with byte offsets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "registry/scan/outline.h"

namespace opledger::scan {

// C++20 with '$' in identifiers, without trigraphs: what every source is read as.
const clang::LangOptions& SourceLanguage();

struct RawToken {
  clang::tok::TokenKind kind = clang::tok::eof;
  Offset begin = 0;
  Offset end = 0;
  bool starts_line = false;
  bool spaced = false;  // white space or a comment before it
  bool dirty = false;   // its text holds a line continuation

  bool Is(clang::tok::TokenKind other) const { return kind == other; }
};

class RawLexer {
 public:
  // A NUL byte must follow `text` in memory.
  explicit RawLexer(std::string_view text);

  RawToken Next();
  // The token's spelling, line continuations removed.
  std::string_view Text(const RawToken& token);

 private:
  std::string_view text_;
  clang::Lexer lexer_;
  std::string clean_;
};

}  // namespace opledger::scan
