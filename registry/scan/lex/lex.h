// Splits source text into tokens without preprocessing. Input: bytes. Output: raw tokens with byte
// offsets (raw_lexer.h), and the text, strings and brackets of lists of tokens (token_text.h).
// May include: nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clang/Basic/TokenKinds.h"

namespace opledger::scan {

using Offset = std::uint32_t;  // a byte offset into the file

struct Range {
  Offset begin = 0;
  Offset end = 0;
};

struct RawToken {
  clang::tok::TokenKind kind = clang::tok::eof;
  Offset begin = 0;
  Offset end = 0;
  bool starts_line = false;
  bool spaced = false;  // follows white space or a comment
  bool dirty = false;   // its text has a line continuation

  bool Is(clang::tok::TokenKind other) const { return kind == other; }
};

}  // namespace opledger::scan
