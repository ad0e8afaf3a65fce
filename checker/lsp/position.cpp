// Counts the code units of each character to convert between byte offsets and positions.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/position.h"

#include <algorithm>

#include "registry/text/utf8.h"

namespace opledger {
namespace {

// Returns the length of the character at `offset`, or 1 for an invalid byte, which editors show as
// U+FFFD.
std::size_t LengthAt(std::string_view text, std::size_t offset) {
  return std::max<std::size_t>(DecodeUtf8(text, offset).length, 1);
}

std::size_t UnitsOf(std::size_t length, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf8) return length;
  return length == 4 ? 2 : 1;
}

std::size_t IndexOf(const std::vector<std::size_t>& starts, std::size_t offset) {
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  return static_cast<std::size_t>(next - starts.begin()) - 1;
}

}  // namespace

DocumentLines::DocumentLines(std::string_view text, PositionEncoding encoding)
    : text_(text), encoding_(encoding), starts_{0}, newlines_{0} {
  for (std::size_t i = text.find_first_of("\r\n"); i != std::string_view::npos;
       i = text.find_first_of("\r\n", i + 1)) {
    if (text[i] == '\n') newlines_.push_back(i + 1);
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair) starts_.push_back(i + 1);
  }
}

std::size_t DocumentLines::EndOf(std::size_t line) const {
  if (line + 1 == starts_.size()) return text_.size();
  const std::size_t end = starts_[line + 1] - 1;
  const bool pair = text_[end] == '\n' && end > starts_[line] && text_[end - 1] == '\r';
  return pair ? end - 1 : end;
}

std::size_t DocumentLines::OffsetOf(Position position) const {
  if (position.line >= starts_.size()) return text_.size();
  std::size_t offset = starts_[position.line];
  const std::size_t end = EndOf(position.line);
  std::size_t units = 0;
  while (offset < end) {
    const std::size_t length = LengthAt(text_, offset);
    units += UnitsOf(length, encoding_);
    if (units > position.character) return offset;
    offset += length;
  }
  return end;
}

Position DocumentLines::PositionOf(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const std::size_t line = IndexOf(starts_, offset);
  const std::size_t end = std::min(offset, EndOf(line));
  std::size_t units = 0;
  for (std::size_t at = starts_[line]; at < end;) {
    const std::size_t length = LengthAt(text_, at);
    if (at + length > end) break;
    units += UnitsOf(length, encoding_);
    at += length;
  }
  return {line, units};
}

Span DocumentLines::SpanOf(const Location& location) const {
  const auto offset_of = [&](int line, int column) {
    if (line < 1 || static_cast<std::size_t>(line) > newlines_.size()) {
      return line < 1 ? 0 : text_.size();
    }
    const std::size_t begin = newlines_[static_cast<std::size_t>(line) - 1];
    return std::min(begin + static_cast<std::size_t>(std::max(column, 1) - 1), text_.size());
  };
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // precedes the first column
  const std::size_t mark = location.line == 1 && text_.starts_with(kMark) ? kMark.size() : 0;
  const std::size_t begin =
      std::min(offset_of(location.line, location.column) + mark, text_.size());
  const std::size_t last = location.end_line == 1 ? mark : 0;
  const std::size_t end =
      location.end_line < 1 ? begin : offset_of(location.end_line, location.end_column) + last;
  return {begin, std::min(std::max(begin, end), text_.size())};
}

std::optional<Position> ReadPosition(const JsonValue& value) {
  const JsonValue* const line = value.Find("line");
  const JsonValue* const character = value.Find("character");
  for (const JsonValue* each : {line, character}) {
    const bool counts =
        each != nullptr && each->kind == JsonValue::Kind::kInteger && each->integer >= 0;
    if (!counts) return std::nullopt;
  }
  return Position{static_cast<std::size_t>(line->integer),
                  static_cast<std::size_t>(character->integer)};
}

std::optional<Range> ReadRange(const JsonValue& value) {
  const JsonValue* const start = value.Find("start");
  const JsonValue* const end = value.Find("end");
  if (start == nullptr || end == nullptr) return std::nullopt;
  const std::optional<Position> from = ReadPosition(*start);
  const std::optional<Position> to = ReadPosition(*end);
  if (!from || !to) return std::nullopt;
  return Range{std::min(*from, *to), std::max(*from, *to)};
}

void WriteRange(JsonWriter& json, std::string_view key, const Range& range) {
  json.BeginObject(key);
  const auto write = [&](std::string_view name, const Position& position) {
    json.BeginObject(name);
    json.Field("line", position.line);
    json.Field("character", position.character);
    json.EndObject();
  };
  write("start", range.start);
  write("end", range.end);
  json.EndObject();
}

}  // namespace opledger
