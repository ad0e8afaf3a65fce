// Computes the value of a Python string literal; see string_value.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/string_value.h"

#include <optional>
#include <utility>

#include "registry/text/utf8.h"

namespace opledger {
namespace {

int PythonDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

class PythonStringDecoder {
 public:
  PythonStringDecoder(std::string_view body, bool bytes) : body_(body), bytes_(bytes) {}

  PythonStringValue Run() {
    while (position_ < body_.size()) {
      if (body_[position_] != '\\' || position_ + 1 == body_.size()) {
        value_.text += body_[position_++];
      } else {
        ++position_;
        Escape();
      }
    }
    return std::move(value_);
  }

 private:
  using State = PythonStringValue::State;

  void Mark(State state) {
    if (value_.state != State::kMalformed) value_.state = state;
  }

  // Reads `minimum` to `maximum` digits.
  std::optional<char32_t> Digits(int base, std::size_t minimum, std::size_t maximum) {
    char32_t value = 0;
    std::size_t count = 0;
    for (; count < maximum && position_ < body_.size(); ++count, ++position_) {
      const int digit = PythonDigit(body_[position_]);
      if (digit >= base) break;
      value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    }
    if (count < minimum) return std::nullopt;
    return value;
  }

  // Reads one escape; the position is after the backslash.
  void Escape() {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"";
    static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
    const char c = body_[position_];
    if (c == '\n') {
      ++position_;
    } else if (const std::size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      value_.text += kValues[letter];
      ++position_;
    } else if (c == 'N' && !bytes_) {
      Named();
    } else if (c == 'x' || (!bytes_ && (c == 'u' || c == 'U'))) {
      const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      ++position_;
      Append(Digits(16, digits, digits));
    } else if (PythonDigit(c) < 8) {
      Append(Digits(8, 1, 3));
    } else {
      value_.text += '\\';  // unknown escapes are kept
    }
  }

  void Append(std::optional<char32_t> value) {
    if (!value || (!bytes_ && *value > 0x10FFFF)) return Mark(State::kMalformed);
    if (bytes_) {
      value_.text += static_cast<char>(*value & 0xFF);
    } else if (*value >= 0xD800 && *value < 0xE000) {
      Mark(State::kUnknown);
    } else {
      AppendUtf8(*value, value_.text);
    }
  }

  // Skips \N{DASH}: names of characters are not known.
  void Named() {
    const std::size_t end = body_.find('}', position_);
    const bool named = body_.substr(position_).starts_with("N{") && end != std::string_view::npos &&
                       end > position_ + 2;
    Mark(named ? State::kUnknown : State::kMalformed);
    position_ = named ? end + 1 : position_ + 1;
  }

  std::string_view body_;
  bool bytes_;
  std::size_t position_ = 0;
  PythonStringValue value_;
};

}  // namespace

PythonStringValue DecodePythonString(std::string_view body, bool bytes) {
  return PythonStringDecoder(body, bytes).Run();
}

std::string WithPythonLineEnds(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool pair = body[i] == '\r' && i + 1 < body.size() && body[i + 1] == '\n';
    if (!pair) out += body[i] == '\r' ? '\n' : body[i];
  }
  return out;
}

}  // namespace opledger
