// Positions as in the protocol: lines and characters from 0, where characters are code units of
// UTF-16, or of UTF-8 if the client supports it. Lines end in \n, \r\n or \r.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "registry/json/json.h"
#include "registry/json/json_write.h"
#include "registry/text/location.h"

namespace opledger {

enum class PositionEncoding { kUtf16, kUtf8 };

struct Position {
  std::size_t line = 0;
  std::size_t character = 0;

  auto operator<=>(const Position&) const = default;
};

struct Range {
  Position start;
  Position end;
};

// The text must outlive this object.
class DocumentLines {
 public:
  DocumentLines(std::string_view text, PositionEncoding encoding);

  // A position after the end of a line is moved to its end, one after the last line to the end of
  // the text, and one within a character to its beginning.
  std::size_t OffsetOf(Position position) const;
  Position PositionOf(std::size_t offset) const;
  Range RangeOf(Span span) const { return {PositionOf(span.begin), PositionOf(span.end)}; }
  // Converts a location, whose lines end in \n and whose columns count bytes. A whole file gives
  // the beginning of the text.
  Span SpanOf(const Location& location) const;

 private:
  std::size_t EndOf(std::size_t line) const;  // without the line end

  std::string_view text_;
  PositionEncoding encoding_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> newlines_;  // starts of lines that end in \n
};

// Return nullopt if the value is not a position or not a range.
std::optional<Position> ReadPosition(const JsonValue& value);
std::optional<Range> ReadRange(const JsonValue& value);
void WriteRange(JsonWriter& json, std::string_view key, const Range& range);

}  // namespace opledger
