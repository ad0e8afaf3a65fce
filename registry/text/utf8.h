// One code point at a time out of bytes that may be anything, and into text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opledger {

struct Utf8Character {
  char32_t code_point = 0;
  std::size_t length = 0;  // in bytes; 0: the bytes there are not UTF-8
};

// The character at `offset` (< text.size()). Overlong forms, surrogates and values above U+10FFFF
// are not UTF-8.
Utf8Character DecodeUtf8(std::string_view text, std::size_t offset);

void AppendUtf8(char32_t code_point, std::string& text);

// Whether Unicode has it as Default_Ignorable_Code_Point: nothing is drawn for it, so that text can
// hold it unseen, or it changes how its neighbours are drawn.
bool IsIgnorable(char32_t code_point);

// Whether a terminal or a browser might act on it instead of showing it: C0 and C1 controls, DEL,
// line and paragraph separators, interlinear annotations, and what is ignorable; and what XML
// cannot hold, U+FFFE and U+FFFF.
bool IsControl(char32_t code_point);

// Whether the character at `offset` opens a command of a pipeline that is looked for anywhere in a
// line: GitHub's "##[NAME]" and Azure's "##vso[NAME]".
// https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
bool OpensCommand(std::string_view text, std::size_t offset);

}  // namespace opledger
