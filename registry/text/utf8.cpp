// Decodes bytes that may not be valid UTF-8 one code point at a time.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/utf8.h"

#include <algorithm>
#include <iterator>

namespace opledger {
namespace {

struct CodePoints {
  char32_t first = 0;
  char32_t last = 0;
};

// Default_Ignorable_Code_Point of Unicode 16: characters that are invisible or change how adjacent
// ones are drawn. In ascending order.
// https://www.unicode.org/Public/16.0.0/ucd/DerivedCoreProperties.txt
constexpr CodePoints kIgnorable[] = {
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian variation selectors and vowel separator
    {0x200B, 0x200F},    // zero-width space and joiners, direction marks
    {0x202A, 0x202E},    // direction embeddings and overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, direction isolates
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte-order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFF8},    // unassigned specials
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, and more variation selectors
};

}  // namespace

Utf8Character DecodeUtf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(offset);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - offset < length) return {};
  char32_t code_point = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(offset + i) & 0xC0) != 0x80) return {};
    code_point = code_point << 6 | (byte(offset + i) & 0x3F);
  }
  const bool overlong =
      (length == 3 && code_point < 0x800) || (length == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (overlong || surrogate || code_point > 0x10FFFF) return {};
  return {code_point, length};
}

void AppendUtf8(char32_t code_point, std::string& text) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | code_point >> 12);
    tail(6);
  } else {
    text += static_cast<char>(0xF0 | code_point >> 18);
    tail(12);
    tail(6);
  }
  if (code_point >= 0x80) tail(0);
}

bool IsIgnorable(char32_t code_point) {
  const CodePoints* const range =
      std::find_if(std::begin(kIgnorable), std::end(kIgnorable),
                   [&](const CodePoints& each) { return code_point <= each.last; });
  return range != std::end(kIgnorable) && code_point >= range->first;
}

bool IsControl(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F)) return true;
  if (code_point == 0x2028 || code_point == 0x2029) return true;
  if (code_point >= 0xFFF9 && code_point <= 0xFFFB) return true;
  return code_point == 0xFFFE || code_point == 0xFFFF || IsIgnorable(code_point);
}

bool OpensCommand(std::string_view text, std::size_t offset) {
  if (text[offset] != '#') return false;
  const std::string_view rest = text.substr(offset);
  return rest.starts_with("##[") || rest.starts_with("##vso[");
}

}  // namespace opledger
