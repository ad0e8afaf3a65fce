// Reading lines for snippets, each file once.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/source_lines.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace opledger {
namespace {

constexpr off_t kLargestSource = 16 << 20;

// How many bytes were read; `bytes` may be longer. A link that leads outside is outside; the kernel
// sees to that.
std::size_t ReadFileBelow(int root, const std::string& path, std::string& bytes) {
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const auto file = static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
  if (file < 0) return 0;  // no snippet is no error
  struct stat status = {};
  ssize_t count = 0;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kLargestSource) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (bytes.size() < size) bytes.resize(size);
    count = read(file, bytes.data(), size);
  }
  close(file);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace

SourceLines::SourceLines(const std::string& root, const std::vector<PrecisionList>& lists)
    : root_(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  for (const PrecisionList& list : lists) texts_[list.path].bytes = list.document.text;
}

SourceLines::~SourceLines() {
  if (root_ >= 0) close(root_);
}

bool SourceLines::CanRead(const std::string& path) const {
  return root_ >= 0 && !path.empty() && path.find('\0') == std::string::npos;
}

SourceLines::Text& SourceLines::Find(const std::string& path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return known->second;
  Text& text = texts_[path];
  text.bytes.resize(CanRead(path) ? ReadFileBelow(root_, path, text.bytes) : 0);
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
