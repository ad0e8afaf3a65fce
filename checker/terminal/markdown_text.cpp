// Uses character references, because no later step of a renderer takes them for markup.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/markdown_text.h"

#include <cctype>

#include "registry/text/diagnostics.h"

namespace opledger {

std::string MarkdownCode(std::string_view text) {
  constexpr std::string_view kHarmless = " -,/=+";
  constexpr std::size_t kLongest = 1000;  // bytes
  std::string printable = Printable(text);
  if (printable.size() > kLongest) {
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(printable[end]) & 0xc0U) == 0x80U) --end;
    printable.replace(end, std::string::npos, "...");
  }
  std::string code = "<code>";
  for (const char c : printable) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::ispunct(byte) != 0 && kHarmless.find(c) == std::string_view::npos) {
      code += "&#" + std::to_string(byte) + ';';
    } else {
      code += c;
    }
  }
  return code + "</code>";
}

namespace {

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsHarmlessInCode(std::string_view text) {
  for (const char c : text) {
    if (c == '`' || c == '|' || c == '\\') return false;
  }
  // A code span loses a space at each end.
  return !text.empty() && text.front() != ' ' && text.back() != ' ';
}

bool NeedsReference(std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool inside = at > 0 && at + 1 < text.size() && IsWordCharacter(text[at - 1]) &&
                      IsWordCharacter(text[at + 1]);
  if (c == '_') return !inside;  // inside a word it is not markup
  if (c == '.') return at >= 3 && text.substr(at - 3, 3) == "www";
  if (c == ':') return at + 1 < text.size() && text[at + 1] == '/';
  return std::string_view("\\`*{}[]<>|#~&!@$^\"").find(c) != std::string_view::npos;
}

std::string Referenced(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (NeedsReference(text, i)) {
      out += "&#" + std::to_string(static_cast<unsigned char>(text[i])) + ';';
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string MarkdownName(std::string_view name) {
  const std::string shown = Printable(name);
  if (IsHarmlessInCode(shown)) return '`' + shown + '`';
  return "<code>" + Referenced(shown) + "</code>";
}

std::string MarkdownText(std::string_view text) { return Referenced(Printable(text)); }

}  // namespace opledger
