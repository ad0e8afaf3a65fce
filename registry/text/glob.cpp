// Path patterns, matched without recursion: on a mismatch the last `*` takes one byte more, and
// when it may not (a '/'), the last `**` does. Only the last of each matters, because whatever an
// earlier one could take instead, the later one can take as well.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/glob.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace opledger {
namespace {

// Where to resume: the pattern after the star, the path where its match ends at present.
struct Resume {
  std::size_t pattern = std::string_view::npos;
  std::size_t path = 0;
  bool whole_folders = false;  // "**/" takes whole folders only
  bool Armed() const { return pattern != std::string_view::npos; }
};

// Lets the `**` take more; false where nothing is left to take.
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
      // A final "/**" is everything below, not the folder itself.
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
