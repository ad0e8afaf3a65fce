// Reading lines for snippets, each file once.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/source_lines.h"

#include <sys/stat.h>
#include <unistd.h>

#include "registry/platform/open_file.h"
#include "registry/platform/unsaved_text.h"

namespace opledger {
namespace {

constexpr off_t kLargestSource = 16 << 20;

// How many bytes were read; `bytes` may be longer. A link that leads outside is outside.
std::size_t ReadFileBelow(const std::string& root, const std::string& path, std::string& bytes) {
  const Descriptor file(OpenInputBelow(root, path));
  if (file.get() < 0) return 0;  // no snippet is no error
  struct stat status = {};
  ssize_t count = 0;
  if (fstat(file.get(), &status) != 0) return 0;
  if (const std::string* const unsaved = UnsavedText(status)) {
    bytes = *unsaved;
    return bytes.size();
  }
  if (S_ISREG(status.st_mode) && status.st_size <= kLargestSource) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (bytes.size() < size) bytes.resize(size);
    count = read(file.get(), bytes.data(), size);
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace

SourceLines::SourceLines(const std::string& root, const std::vector<PrecisionList>& lists)
    : root_(root) {
  for (const PrecisionList& list : lists) texts_[list.path].bytes = list.document.text;
}

bool SourceLines::CanRead(const std::string& path) const {
  return !path.empty() && path.find('\0') == std::string::npos;
}

SourceLines::Text& SourceLines::Find(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  Text& text = texts_[path];
  text.own.resize(CanRead(path) ? ReadFileBelow(root_, path, text.own) : 0);
  text.bytes = text.own;
  return text;
}

std::string_view SourceLines::Peek(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second.bytes;
  // Not shortened, so that the next file does not clear what it overwrites.
  const std::size_t length = CanRead(path) ? ReadFileBelow(root_, path, peeked_) : 0;
  return std::string_view(peeked_).substr(0, length);
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
