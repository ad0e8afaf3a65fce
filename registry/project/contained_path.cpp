// Keeping paths that files name inside the root.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/contained_path.h"

#include <algorithm>
#include <filesystem>

namespace opledger {
namespace {

namespace fs = std::filesystem;

fs::path Canonical(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : fs::path(path), error);
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  return error ? fs::path() : canonical;
}

}  // namespace

bool IsInside(const std::string& path, const std::string& root) {
  const fs::path inner = Canonical(path);
  fs::path outer = Canonical(root);
  if (inner.empty() || outer.empty()) return false;
  if (!outer.has_filename()) outer = outer.parent_path();  // "/folder/" ends in an empty name
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
