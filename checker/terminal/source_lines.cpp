// Reads each file once.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/source_lines.h"

#include "registry/project/contained_path.h"

namespace opledger {

SourceLines::SourceLines(Source source, const std::vector<PrecisionList>& lists)
    : source_(std::move(source)) {
  Add(lists);
}

void SourceLines::Add(const std::vector<PrecisionList>& lists) {
  for (const PrecisionList& list : lists) {
    Text& text = texts_[list.path];
    text.bytes = list.document.text;
    text.lines.reset();
  }
}

// Returns "" for files that may not be shown or read; snippets are optional.
std::string SourceLines::Read(const std::string& path) const {
  constexpr std::size_t kLargestSource = 16 << 20;
  const bool can_be_below = StaysBelow(path) || path.starts_with(source_.root() + '/');
  if (!can_be_below) return {};
  return source_.Read(path, kLargestSource, Reach::kBelow).value_or("");
}

SourceLines::Text& SourceLines::Find(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  Text& text = texts_[path];
  text.own = Read(path);
  text.bytes = text.own;
  return text;
}

std::string_view SourceLines::Peek(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second.bytes;
  peeked_ = Read(path);
  return peeked_;
}

const std::string& SourceLines::Line(const Location& location) {
  line_.clear();
  if (location.line <= 0) return line_;
  Text& text = Find(location.path);
  if (!text.lines) text.lines.emplace(text.bytes);
  line_ = text.lines->Line(text.bytes, location.line);
  return line_;
}

}  // namespace opledger
