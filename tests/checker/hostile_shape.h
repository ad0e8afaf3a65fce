// Finds what a hostile name must not add to a text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "registry/text/utf8.h"

namespace opledger {

// Returns the first character that a terminal, a log or a browser could interpret.
inline std::string FirstControl(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = DecodeUtf8(text, i);
    if (character.length == 0) return "bytes that are not UTF-8 at " + std::to_string(i);
    if (text[i] != '\n' && IsControl(character.code_point)) {
      return "U+" + std::to_string(character.code_point) + " at " + std::to_string(i);
    }
    i += character.length;
  }
  return {};
}

inline std::vector<std::string> TextLines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace opledger
