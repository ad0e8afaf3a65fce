// Writes JSON as a stream.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_write.h"

#include <charconv>
#include <cmath>

#include "registry/text/json_quote.h"

namespace opledger {

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  AppendJsonQuoted(key, out_);
  out_ += levels_.back().compact ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::String(std::string_view value) {
  BeforeValue();
  AppendJsonQuoted(value, out_);
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
