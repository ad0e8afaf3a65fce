// Parses integer and character literals of #if expressions; see lexer.h.
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <set>

#include "registry/condition/lexer.h"

namespace opledger {
namespace {

// Returns the value of a digit in any base up to 16, or 16 for any other character.
unsigned DigitValue(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

// Removes the base's prefix from `digits` and returns the base.
unsigned TakeBase(std::string& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = digits[1];
  const bool hexadecimal = letter == 'x' || letter == 'X';
  const bool binary = letter == 'b' || letter == 'B';
  digits.erase(0, hexadecimal || binary ? 2 : 1);
  return hexadecimal ? 16 : binary ? 2 : 8;
}

// Parses at least one digit in `base`; ' is allowed only between digits.
std::optional<std::uint64_t> ParseDigits(const std::string& digits, unsigned base) {
  if (digits.empty() || digits.front() == '\'' || digits.back() == '\'') return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c == '\'') continue;
    const unsigned digit = DigitValue(c);
    if (digit >= base) return std::nullopt;
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

// Returns the value of the escape sequence that begins at `position`, after the backslash. Advances
// `position` past it.
std::optional<std::uint32_t> ParseEscape(std::string_view text, std::size_t& position) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"?";
  static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"?";
  if (position >= text.size()) return std::nullopt;
  const std::size_t letter = kLetters.find(text[position]);
  if (letter != std::string_view::npos) {
    ++position;
    return static_cast<std::uint32_t>(kValues[letter]);
  }
  const bool hexadecimal = text[position] == 'x';
  if (hexadecimal) ++position;
  const unsigned base = hexadecimal ? 16 : 8;
  const std::size_t start = position;
  std::uint32_t value = 0;
  while (position < text.size() && DigitValue(text[position]) < base) {
    if (!hexadecimal && position - start == 3) break;
    value = value * base + DigitValue(text[position++]);
    if (value > 0xFF) return std::nullopt;
  }
  if (position == start) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ConditionInteger> ParseInteger(std::string_view number) {
  static const std::set<std::string> kSuffixes = {"",    "u",   "l", "ul", "lu", "ll",
                                                  "ull", "llu", "z", "uz", "zu"};
  std::string digits(number);
  const unsigned base = TakeBase(digits);
  std::string suffix;
  while (!digits.empty()) {
    const char lower = static_cast<char>(digits.back() | 0x20);
    if (lower != 'u' && lower != 'l' && lower != 'z') break;
    suffix.insert(suffix.begin(), lower);
    digits.pop_back();
  }
  if (base == 8 && digits.empty()) digits = "0";  // 0u
  const auto value = ParseDigits(digits, base);
  if (!value || kSuffixes.count(suffix) == 0) return std::nullopt;
  const bool is_unsigned =
      suffix.find('u') != std::string::npos ||
      *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return ConditionInteger{*value, is_unsigned};
}

std::optional<ConditionInteger> ParseCharacter(std::string_view literal) {
  const std::size_t quote = literal.find('\'');
  const std::string_view body = literal.substr(quote + 1, literal.size() - quote - 2);
  std::uint32_t value = 0;
  int count = 0;
  bool ascii = true;
  for (std::size_t i = 0; i < body.size(); ++count) {
    std::optional<std::uint32_t> unit;
    if (body[i] == '\\') {
      unit = ParseEscape(body, ++i);
    } else {
      unit = static_cast<unsigned char>(body[i++]);
    }
    if (!unit) return std::nullopt;
    ascii = ascii && *unit < 0x80;
    value = value << 8 | *unit;
  }
  const bool has_prefix = quote > 0;
  if (count == 0 || count > 4 || (has_prefix && (count > 1 || !ascii))) return std::nullopt;
  // A single character is sign-extended from 8 bits, several are sign-extended from 32.
  std::int64_t result = static_cast<std::int32_t>(value);
  if (count == 1) result = static_cast<std::int8_t>(value);
  const bool is_unsigned = literal[0] == 'u' || literal[0] == 'U';
  return ConditionInteger{static_cast<std::uint64_t>(result), is_unsigned};
}

}  // namespace opledger
