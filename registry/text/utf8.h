// Decodes and encodes UTF-8, one code point at a time. Input may be invalid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opledger {

struct Utf8Character {
  char32_t code_point = 0;
  std::size_t length = 0;  // in bytes; 0: invalid UTF-8
};

// Returns the character at `offset` (< text.size()). Overlong forms, surrogates and values above
// U+10FFFF are invalid.
Utf8Character DecodeUtf8(std::string_view text, std::size_t offset);

void AppendUtf8(char32_t code_point, std::string& text);

// Returns whether the character is a Default_Ignorable_Code_Point of Unicode: it is invisible, so
// that text can contain it unnoticed, or it changes how adjacent ones are drawn.
bool IsIgnorable(char32_t code_point);

// Returns whether a terminal or a browser might interpret the character instead of showing it: C0
// and C1 controls, DEL, line and paragraph separators, interlinear annotations, ignorable
// characters, and U+FFFE and U+FFFF, which XML forbids.
bool IsControl(char32_t code_point);

// Returns whether the character at `offset` starts a CI command that is recognized anywhere in a
// line: GitHub's "##[NAME]" and Azure's "##vso[NAME]".
// https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
bool OpensCommand(std::string_view text, std::size_t offset);

}  // namespace opledger
