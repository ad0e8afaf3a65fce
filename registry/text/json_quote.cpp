// Escapes characters that are special in JSON, terminals or browsers.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/json_quote.h"

#include "registry/text/utf8.h"

namespace opledger {
namespace {

void AppendUnitEscape(char32_t unit, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[unit >> shift & 15];
}

// Escapes code points from U+10000 on as two surrogates, as JSON requires.
void AppendUnicodeEscape(char32_t code_point, std::string& out) {
  if (code_point < 0x10000) return AppendUnitEscape(code_point, out);
  const char32_t rest = code_point - 0x10000;
  AppendUnitEscape(0xD800 + (rest >> 10), out);
  AppendUnitEscape(0xDC00 + (rest & 0x3FF), out);
}

void AppendControl(char32_t code_point, std::string& out) {
  switch (code_point) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      AppendUnicodeEscape(code_point, out);
  }
}

bool IsPlain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

}  // namespace

void AppendJsonQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t plain = i;
    while (plain < text.size() && IsPlain(static_cast<unsigned char>(text[plain])) &&
           !OpensCommand(text, plain)) {
      ++plain;
    }
    out.append(text, i, plain - i);
    i = plain;
    if (i == text.size()) break;
    if (text[i] == '"' || text[i] == '\\') {
      out += '\\';
      out += text[i++];
      continue;
    }
    const Utf8Character character = DecodeUtf8(text, i);
    if (character.length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (IsControl(character.code_point) || OpensCommand(text, i)) {
      AppendControl(character.code_point, out);
    } else {
      out.append(text, i, character.length);
    }
    i += character.length;
  }
  out += '"';
}

std::string JsonQuote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  AppendJsonQuoted(text, out);
  return out;
}

}  // namespace opledger
