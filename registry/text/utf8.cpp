// One code point at a time out of bytes that may be anything.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/utf8.h"

namespace opledger {

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

bool IsControl(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F)) return true;
  return code_point == 0x061C || (code_point >= 0x200B && code_point <= 0x200F) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2060 && code_point <= 0x206F) || code_point == 0xFEFF ||
         (code_point >= 0xFFF9 && code_point <= 0xFFFB) || code_point == 0xFFFE ||
         code_point == 0xFFFF;
}

bool OpensCommand(std::string_view text, std::size_t offset) {
  if (text[offset] != '#') return false;
  const std::string_view rest = text.substr(offset);
  return rest.starts_with("##[") || rest.starts_with("##vso[");
}

}  // namespace opledger
