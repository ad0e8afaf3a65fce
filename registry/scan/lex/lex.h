// A raw token: what a lexer tells of a piece of source text without preprocessing it.
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
