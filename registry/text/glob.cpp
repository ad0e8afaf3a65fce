// Matches path patterns without recursion. On a mismatch the last `*` takes one more byte; if it
// cannot (at a '/'), the last `**` does. Backtracking to the last of each is enough, because it can
// take anything that an earlier one could.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/glob.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace opledger {
namespace {

// Where to resume: the pattern after the star, and the current end of its match in the path.
struct Resume {
  std::size_t pattern = std::string_view::npos;
  std::size_t path = 0;
  bool whole_folders = false;  // "**/" takes only whole folders
  bool Armed() const { return pattern != std::string_view::npos; }
};

// Extends the match of `**`. Returns false if nothing is left to match.
bool ExtendDeep(Resume& deep, std::string_view path) {
  if (!deep.Armed()) return false;
  if (!deep.whole_folders) return deep.path++ < path.size();
  const std::size_t slash = path.find('/', deep.path);
  if (slash == std::string_view::npos) return false;
  deep.path = slash + 1;
  return true;
}

}  // namespace

bool GlobMatch(std::string_view pattern, std::string_view path) {
  Resume star;
  Resume deep;
  std::size_t p = 0;
  std::size_t s = 0;
  while (true) {
    if (pattern.substr(p, 2) == "**") {
      const bool at_folder = p == 0 || pattern[p - 1] == '/';
      p += 2;
      const bool whole_folders = at_folder && pattern.substr(p, 1) == "/";
      if (whole_folders) ++p;
      // A final "/**" matches everything below the folder, but not the folder itself.
      deep = {p, s, whole_folders};
      star = {};
      continue;
    }
    if (p < pattern.size() && pattern[p] == '*') {
      star = {++p, s};
      continue;
    }
    if (p == pattern.size() && s == path.size()) return true;
    if (p < pattern.size() && s < path.size() &&
        (pattern[p] == path[s] || (pattern[p] == '?' && path[s] != '/'))) {
      ++p;
      ++s;
      continue;
    }
    if (star.Armed() && star.path < path.size() && path[star.path] != '/') {
      p = star.pattern;
      s = ++star.path;
      continue;
    }
    star = {};
    if (!ExtendDeep(deep, path)) return false;
    p = deep.pattern;
    s = deep.path;
  }
}

bool GlobMatchAny(const std::vector<std::string>& patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return GlobMatch(pattern, path); });
}

bool GlobMayMatchBelow(std::string_view pattern, std::string_view folder) {
  const std::string_view fixed = pattern.substr(0, pattern.find_first_of("*?"));
  const std::string inside = std::string(folder) + '/';
  return fixed.starts_with(inside) || inside.starts_with(fixed);
}

}  // namespace opledger
