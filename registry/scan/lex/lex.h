// Source text as tokens, without preprocessing. In: bytes; out: raw tokens with byte offsets
// (raw_lexer.h), and what texts, strings and brackets lists of tokens hold (token_text.h).
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
  bool spaced = false;  // white space or a comment before it
  bool dirty = false;   // its text holds a line continuation

  bool Is(clang::tok::TokenKind other) const { return kind == other; }
};

}  // namespace opledger::scan
