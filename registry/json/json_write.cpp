// Writing JSON as a stream.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_write.h"

#include <charconv>
#include <cmath>

#include "registry/text/utf8.h"

namespace opledger {
namespace {

void AppendUnicodeEscape(char32_t code_point, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[code_point >> shift & 15];
}

// Every code point IsControl() names is below U+10000: one escape is enough.
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

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t plain = i;
    while (plain < text.size() && IsPlain(static_cast<unsigned char>(text[plain]))) ++plain;
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
    if (IsControl(character.code_point)) {
      AppendControl(character.code_point, out);
    } else {
      out.append(text, i, character.length);
    }
    i += character.length;
  }
  out += '"';
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  AppendQuoted(text, out);
  return out;
}

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  AppendQuoted(key, out_);
  out_ += levels_.back().compact ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::String(std::string_view value) {
  BeforeValue();
  AppendQuoted(value, out_);
}

void JsonWriter::Integer(std::int64_t value) {
  BeforeValue();
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void JsonWriter::Number(double value) {
  if (!std::isfinite(value)) return Null();
  BeforeValue();
  char digits[40];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void JsonWriter::Boolean(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  BeforeValue();
  out_ += "null";
}

void JsonWriter::BeforeValue() {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  level.empty = false;
  NewLine();
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  const bool compact =
      indent_ == 0 || compact_next_ || (!levels_.empty() && levels_.back().compact);
  compact_next_ = false;
  out_ += bracket;
  levels_.push_back({.empty = true, .compact = compact});
}

void JsonWriter::Close(char bracket) {
  const bool empty = levels_.back().empty;
  const bool compact = levels_.back().compact;
  levels_.pop_back();
  if (!empty && !compact) {
    out_ += '\n';
    out_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
  }
  out_ += bracket;
}

void JsonWriter::NewLine() {
  if (levels_.back().compact) return;
  out_ += '\n';
  out_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
}

}  // namespace opledger
