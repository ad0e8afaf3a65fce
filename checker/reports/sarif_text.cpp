// Writes text, URIs and regions for SARIF 2.1.0.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/sarif_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "registry/text/diagnostics.h"
#include "registry/text/text.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

constexpr std::size_t kLongestText = 1024;

// Cuts at a character boundary and appends "...".
std::string Cut(std::string text) {
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string PrintableLines(std::string_view text) {
  std::string printable;
  for (const std::string_view line : SplitAt(text, '\n')) printable += Printable(line) + '\n';
  if (!printable.empty()) printable.pop_back();
  return printable;
}

// Returns the end of a placeholder such as "{0}" that begins at `begin`, or 0 if there is none.
std::size_t PlaceholderEnd(std::string_view text, std::size_t begin) {
  if (text[begin] != '{') return 0;
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end > begin + 1 && end < text.size() && text[end] == '}' ? end + 1 : 0;
}

// Returns whether the next eight bytes are ASCII. Speeds up long lines: a list may be one line of a
// megabyte.
bool IsAsciiFor8(std::string_view line, std::size_t i) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, line.data() + i, sizeof bytes);
  return (bytes & 0x8080808080808080U) == 0;
}

// Converts a byte column of `line` to a UTF-16 column.
int Utf16Column(std::string_view line, int column) {
  if (line.empty()) return column;
  int units = 1;
  std::size_t i = 0;
  const std::size_t end = std::min<std::size_t>(column - 1, line.size());
  while (i < end) {
    if (i + 8 <= end && IsAsciiFor8(line, i)) {
      units += 8;
      i += 8;
      continue;
    }
    const Utf8Character character = DecodeUtf8(line, i);
    units += character.code_point > 0xFFFF ? 2 : 1;
    i += std::max<std::size_t>(character.length, 1);
  }
  return units + (column - 1 - static_cast<int>(end));
}

}  // namespace

std::string SarifMessage(std::string_view text) {
  const std::string plain = Cut(PrintableLines(text));
  const bool has_link = plain.find("](") != std::string::npos;
  std::string escaped;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::size_t end = PlaceholderEnd(plain, i);
    if (end != 0) {
      escaped += '{' + plain.substr(i, end - i) + '}';
      i = end - 1;
      continue;
    }
    if (has_link && (plain[i] == '[' || plain[i] == ']')) escaped += '\\';
    escaped += plain[i];
  }
  return escaped;
}

std::string SarifUri(std::string_view path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    }
  }
  return uri;
}

std::string FirstParagraph(std::string_view text) {
  return std::string(text.substr(0, text.find("\n\n")));
}

SarifRegion MakeSarifRegion(const Location& location, std::string_view line) {
  SarifRegion region;
  if (location.line <= 0) return region;
  region.start_line = location.line;
  region.start_column = Utf16Column(line, std::max(location.column, 1));
  region.end_line = std::max(location.end_line, location.line);
  const bool one_line = region.end_line == region.start_line;
  region.end_column = std::max(location.end_column, 1);
  if (one_line) {
    const int end = std::max(location.end_column, std::max(location.column, 1));
    region.end_column = std::max(Utf16Column(line, end), region.start_column);
  }
  return region;
}

}  // namespace opledger
