// Reading lines for snippets, each file once.
// SPDX-License-Identifier: Apache-2.0
#include "checker/source_lines.h"

#include <filesystem>

#include "registry/file_read.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSource = 16 << 20;

std::vector<std::size_t> LineStarts(std::string_view text) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(i + 1);
  }
  return starts;
}

}  // namespace

SourceLines::SourceLines(std::string root, const std::vector<PrecisionList>& lists)
    : root_(std::move(root)) {
  for (const PrecisionList& list : lists) {
    texts_[list.path] = {list.document.text, LineStarts(list.document.text)};
  }
}

std::string SourceLines::ReadBelowRoot(const std::string& path) const {
  std::error_code error;
  const fs::path root = fs::canonical(root_, error);
  if (error || path.empty()) return {};
  // Symbolic links resolved: a link that leads outside is outside.
  const fs::path file = fs::canonical(root / path, error);
  if (error) return {};
  const std::string inside = file.lexically_relative(root).string();
  if (inside.empty() || inside.starts_with("..")) return {};
  Diagnostics ignored;  // no snippet is no error
  return ReadFile(file.string(), kLargestSource, ignored).value_or("");
}

const SourceLines::Text& SourceLines::Find(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  std::string bytes = ReadBelowRoot(path);
  std::vector<std::size_t> starts = LineStarts(bytes);
  return texts_.emplace(path, Text{std::move(bytes), std::move(starts)}).first->second;
}

const std::string& SourceLines::Line(const Location& location) {
  line_.clear();
  if (location.line <= 0) return line_;
  const Text& text = Find(location.path);
  const auto line = static_cast<std::size_t>(location.line);
  if (line > text.line_starts.size()) return line_;
  const std::size_t begin = text.line_starts[line - 1];
  const std::size_t end =
      line < text.line_starts.size() ? text.line_starts[line] : text.bytes.size();
  line_ = text.bytes.substr(begin, end - begin);
  while (!line_.empty() && (line_.back() == '\n' || line_.back() == '\r')) line_.pop_back();
  return line_;
}

}  // namespace opledger
