// What is done with a parsed document: finding members, turning spans into locations and errors.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/json/json_text.h"
#include "registry/platform/file_read.h"

namespace opledger {
namespace {

constexpr std::size_t kMaximumFileSize = std::size_t{256} << 20;

// A caret further right than this, in a file without line breaks, helps nobody.
constexpr std::size_t kMaximumSourceLine = 65536;

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Location JsonDocument::At(Span span) const {
  const auto place = [this](std::size_t offset, int& line, int& column) {
    const auto next = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
    const std::size_t index = next == line_starts.begin() ? 0 : next - line_starts.begin() - 1;
    const std::size_t start = std::min(line_starts[index], offset);
    line = static_cast<int>(index) + 1;
    column = static_cast<int>(offset - start) + 1;
  };
  Location location{.path = path};
  place(span.begin, location.line, location.column);
  place(span.end, location.end_line, location.end_column);
  return location;
}

std::string JsonDocument::Line(int line) const {
  if (line < 1 || static_cast<std::size_t>(line) > line_starts.size()) return {};
  const std::size_t begin = line_starts[line - 1];
  std::size_t end = std::min(text.find('\n', begin), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

std::optional<JsonDocument> ReadJson(const std::string& path, Diagnostics& diagnostics) {
  std::optional<std::string> text = ReadFile(path, kMaximumFileSize, diagnostics);
  if (!text) return std::nullopt;
  return ParseJson(path, std::move(*text), diagnostics);
}

void ErrorAt(const JsonDocument& document, Span span, std::string message, std::string hint,
             Diagnostics& diagnostics) {
  Diagnostic diagnostic;
  diagnostic.location = document.At(span);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (!diagnostics.full()) {
    const std::size_t start = document.line_starts[diagnostic.location.line - 1];
    if (document.text.find('\n', start) - start <= kMaximumSourceLine ||
        document.text.size() - start <= kMaximumSourceLine) {
      diagnostic.source_line = document.Line(diagnostic.location.line);
    }
  }
  diagnostics.Add(std::move(diagnostic));
}

const char* JsonKindName(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBoolean:
      return "a boolean";
    case JsonValue::Kind::kInteger:
      return "an integer";
    case JsonValue::Kind::kFloat:
      return "a number";
    case JsonValue::Kind::kString:
      return "a string";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "a value";
}

}  // namespace opledger
