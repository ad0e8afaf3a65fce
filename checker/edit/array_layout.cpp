// Learning a file's layout from its members and arrays.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/array_layout.h"

namespace opledger {
namespace {

// The white space at the start of the line that holds `offset`.
std::string IndentationAt(const std::string& text, std::size_t offset) {
  const std::size_t line_end = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = line_end == std::string::npos ? 0 : line_end + 1;
  std::size_t end = begin;
  while (end < offset && (text[end] == ' ' || text[end] == '\t')) ++end;
  return text.substr(begin, end - begin);
}

bool HasLineBreak(const std::string& text, std::size_t begin, std::size_t end) {
  return text.substr(begin, end - begin).find('\n') != std::string::npos;
}

}  // namespace

ArrayLayout::ArrayLayout(const JsonDocument& document) : document_(document) {
  const std::string& text = document.text;
  const std::vector<JsonMember>& members = document.root.members;
  if (text.find("\r\n") != std::string::npos) line_end_ = "\r\n";
  if (members.empty()) return;
  many_lines_ = HasLineBreak(text, document.root.span.begin, members.front().key_span.begin);
  if (many_lines_) {
    const std::string indentation = IndentationAt(text, members.front().key_span.begin);
    if (!indentation.empty()) unit_ = indentation;
  }
  // The first array with items shows how arrays are written here.
  for (const JsonMember& member : members) {
    if (member.value.kind != JsonValue::Kind::kArray || member.value.items.empty()) continue;
    const std::size_t first = member.value.items.front().span.begin;
    many_lines_ = HasLineBreak(text, member.value.span.begin, first);
    const std::string outer = IndentationAt(text, member.key_span.begin);
    const std::string inner = IndentationAt(text, first);
    if (many_lines_ && inner.size() > outer.size() && inner.starts_with(outer)) {
      unit_ = inner.substr(outer.size());
    }
    break;
  }
}

std::string ArrayLayout::Array(std::size_t offset, std::string_view item) const {
  if (!many_lines_) return "[" + std::string(item) + "]";
  const std::string outer = IndentationAt(document_.text, offset);
  return "[" + line_end_ + outer + unit_ + std::string(item) + line_end_ + outer + "]";
}

}  // namespace opledger
