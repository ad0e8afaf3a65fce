// Keeping paths that files name inside the root.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/contained_path.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr int kMaximumLinks = 40;

// Without links, also where what they lead to is not there. Empty: it cannot be told.
fs::path Canonical(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : fs::path(path), error);
  if (error) return {};
  std::vector<fs::path> parts(absolute.begin(), absolute.end());
  std::reverse(parts.begin(), parts.end());
  fs::path whole;
  for (int links = 0; !parts.empty();) {
    const fs::path part = parts.back();
    parts.pop_back();
    if (part == "..") whole = whole.parent_path();
    if (part.empty() || part == "." || part == "..") continue;
    if (!fs::is_symlink(fs::symlink_status(whole / part, error))) {
      whole /= part;
      continue;
    }
    const fs::path target = fs::read_symlink(whole / part, error);
    if (error || ++links > kMaximumLinks) return {};
    if (target.is_absolute()) whole.clear();
    parts.insert(parts.end(), std::make_reverse_iterator(target.end()),
                 std::make_reverse_iterator(target.begin()));
  }
  return whole;
}

}  // namespace

bool IsInside(const std::string& path, const std::string& root) {
  const fs::path inner = Canonical(path);
  const fs::path outer = Canonical(root);
  if (inner.empty() || outer.empty()) return false;
  const auto [in, out] = std::mismatch(inner.begin(), inner.end(), outer.begin(), outer.end());
  return out == outer.end();
}

bool StaysBelow(const std::string& written) {
  if (written.empty() || written.front() == '/') return false;
  if (written.find('\0') != std::string::npos) return false;
  const fs::path normal = fs::path(written).lexically_normal();
  return *normal.begin() != "..";
}

}  // namespace opledger
