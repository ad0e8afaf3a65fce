// Places in texts as the protocol counts them: lines and characters from 0, a character being a
// code unit of UTF-16, or of UTF-8 where the client takes that; lines end in \n, \r\n or \r.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

// The text must outlive this.
class DocumentLines {
 public:
  DocumentLines(std::string_view text, PositionEncoding encoding);

  // What lies behind the end of a line is its end; behind the last line, the end of the text.
  // Within a character: its begin.
  std::size_t OffsetOf(Position position) const;
  Position PositionOf(std::size_t offset) const;
  Range RangeOf(Span span) const { return {PositionOf(span.begin), PositionOf(span.end)}; }
  // A location's lines end in \n, and its columns count bytes. One of a whole file: its begin.
  Span SpanOf(const Location& location) const;

 private:
  std::size_t EndOf(std::size_t line) const;  // without its line end

  std::string_view text_;
  PositionEncoding encoding_;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> newlines_;  // where lines that end in \n begin
};

// None: it is no position, or no range.
std::optional<Position> ReadPosition(const JsonValue& value);
std::optional<Range> ReadRange(const JsonValue& value);
void WriteRange(JsonWriter& json, std::string_view key, const Range& range);

}  // namespace opledger
