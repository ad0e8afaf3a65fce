// Lexes the tokens that make up nearly all source text, exactly as Clang does but several times as
// fast: names, numbers, strings and operators in ASCII, without line continuations.
//   foo(1, "a") -> all tokens;   R"(raw)", caf\u00e9, <: -> left to Clang
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "registry/scan/lex/lex.h"

namespace opledger::scan {

class PlainLexer {
 public:
  // Starts at `at`, which must begin a line. A NUL must follow `text`.
  PlainLexer(std::string_view text, const char* at)
      : text_(text.data()), at_(at), end_(text.end()) {}

  // Reads the next token. Returns false if Clang has to read it.
  bool Next(RawToken& token);

  Offset offset() const { return static_cast<Offset>(at_ - text_); }
  bool starts_line() const { return starts_line_; }
  // Continues after a token that Clang has read.
  void MoveTo(Offset offset) {
    at_ = text_ + offset;
    starts_line_ = false;
  }

 private:
  const char* text_;
  const char* at_;
  const char* end_;
  bool starts_line_ = true;  // until the first token
};

}  // namespace opledger::scan
