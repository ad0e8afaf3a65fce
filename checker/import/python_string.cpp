// Escapes of Python string literals; see python_tokens.h.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/python_tokens.h"

namespace opledger {
namespace {

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// False for what UTF-8 cannot say.
bool AppendUtf8(char32_t c, std::string& out) {
  const auto byte = [&](char32_t value) { out += static_cast<char>(value); };
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return false;
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
  return true;
}

// `minimum` to `maximum` digits from `position` on, which it passes.
std::optional<char32_t> TakeDigits(std::string_view body, std::size_t& position, int base,
                                   std::size_t minimum, std::size_t maximum) {
  char32_t value = 0;
  std::size_t count = 0;
  while (count < maximum && position < body.size() && DigitValue(body[position]) < base) {
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(DigitValue(body[position]));
    ++position;
    ++count;
  }
  if (count < minimum) return std::nullopt;
  return value;
}

// One escape, `position` behind the backslash. False where it is malformed.
bool AppendEscape(std::string_view body, std::size_t& position, std::string& out) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"";
  static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
  const char c = body[position];
  if (c == '\n') return ++position, true;
  if (c == '\r') {
    position += body.substr(position).starts_with("\r\n") ? 2 : 1;
    return true;
  }
  if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos) {
    out += kValues[letter];
    return ++position, true;
  }
  if (c == 'N') return false;
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  std::optional<char32_t> value;
  if (digits > 0) {
    value = TakeDigits(body, ++position, 16, digits, digits);
  } else if (DigitValue(c) < 8) {
    value = TakeDigits(body, position, 8, 1, 3);
  } else {
    out += '\\';  // an unknown escape stands for itself
    return true;
  }
  return value && AppendUtf8(*value, out);
}

}  // namespace

std::optional<std::string> DecodePythonString(std::string_view body) {
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i++];
    } else if (!AppendEscape(body, ++i, out)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace opledger
