// Scans number literals of Python; see number.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/number.h"

#include <algorithm>

namespace opledger {
namespace {

class PythonNumberScanner {
 public:
  explicit PythonNumberScanner(std::string_view text) : text_(text) {}

  std::size_t Run() {
    const char base = static_cast<char>(Peek(1) | 0x20);
    const bool prefixed = Peek() == '0' && (base == 'x' || base == 'o' || base == 'b');
    const bool valid = prefixed ? Prefixed(base) : Decimal();
    return valid && EndsWell() ? position_ : 0;
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }

  static bool IsDigit(char c, int base) {
    const char lower = static_cast<char>(c | 0x20);
    if (base == 16 && lower >= 'a' && lower <= 'f') return true;
    return c >= '0' && c < '0' + std::min(base, 10);
  }

  // Scans digits separated by single underscores. Returns false after an underscore without a
  // digit.
  bool Digits(int base) {
    while (IsDigit(Peek(), base)) {
      ++position_;
      if (Peek() != '_') continue;
      ++position_;
      if (!IsDigit(Peek(), base)) return false;
    }
    return true;
  }

  bool Prefixed(char letter) {
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    position_ += Peek(2) == '_' ? 3 : 2;
    if (!IsDigit(Peek(), base)) return false;
    return Digits(base) && (base == 16 || !IsDigit(Peek(), 10));
  }

  bool Decimal() {
    if (!Digits(10)) return false;
    const std::string_view integer = text_.substr(0, position_);
    bool real = false;
    if (Peek() == '.') {
      real = true;
      ++position_;
      if (!Digits(10)) return false;
    }
    if ((Peek() | 0x20) == 'e') {
      const std::size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign), 10)) {
        real = true;
        position_ += 1 + sign;
        if (!Digits(10)) return false;
      } else if (sign > 0) {
        return false;
      }
    }
    if ((Peek() | 0x20) == 'j') {
      ++position_;
      return true;
    }
    // 0 and 00 are integers, 012 is invalid.
    const bool leading_zero = integer.starts_with('0');
    return real || !leading_zero || integer.find_first_not_of("0_") == std::string_view::npos;
  }

  // Returns whether the number is not directly followed by a name, except certain keywords.
  bool EndsWell() const {
    const std::string_view rest = text_.substr(position_);
    for (const std::string_view word : {"and", "else", "for", "if", "in", "is", "not", "or"}) {
      if (rest.starts_with(word)) return true;
    }
    const char c = Peek();
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return !letter && !IsDigit(c, 10) && static_cast<unsigned char>(c) < 0x80;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::size_t PythonNumberLength(std::string_view text) { return PythonNumberScanner(text).Run(); }

}  // namespace opledger
