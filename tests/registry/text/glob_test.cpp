// Path patterns: examples, and random ones compared with a plain recursive reference.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/glob.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

namespace opledger {
namespace {

TEST(GlobMatch, Examples) {
  EXPECT_TRUE(GlobMatch("src/**", "src/a.cc"));
  EXPECT_TRUE(GlobMatch("src/**", "src/a/b/c.cc"));
  EXPECT_FALSE(GlobMatch("src/**", "src"));
  EXPECT_FALSE(GlobMatch("src/**", "srcs/a.cc"));
  EXPECT_TRUE(GlobMatch("**/*.cu", "a.cu"));
  EXPECT_TRUE(GlobMatch("**/*.cu", "x/y/a.cu"));
  EXPECT_FALSE(GlobMatch("**/*.cu", "x/y/a.cuh"));
  EXPECT_TRUE(GlobMatch("src/**/nn/*.cc", "src/nn/a.cc"));
  EXPECT_TRUE(GlobMatch("src/**/nn/*.cc", "src/x/y/nn/a.cc"));
  EXPECT_FALSE(GlobMatch("src/**/nn/*.cc", "src/xnn/a.cc"));
  EXPECT_FALSE(GlobMatch("*.cc", "a/b.cc"));
  EXPECT_TRUE(GlobMatch("a?c", "abc"));
  EXPECT_FALSE(GlobMatch("a?c", "a/c"));
  EXPECT_TRUE(GlobMatch("**", "a/b"));
  EXPECT_TRUE(GlobMatch("**", ""));
  EXPECT_TRUE(GlobMatch("", ""));
  EXPECT_FALSE(GlobMatch("", "a"));
  EXPECT_TRUE(GlobMatch("a*b*c", "axxbxbyc"));
  EXPECT_TRUE(GlobMatch("_backward_*", "_backward_exp"));
  EXPECT_TRUE(GlobMatch("**/**/a", "a"));
}

bool Reference(std::string_view pattern, std::string_view path, bool folder_start) {
  if (pattern.empty()) return path.empty();
  if (pattern.starts_with("**")) {
    const bool folders = folder_start && pattern.substr(2).starts_with("/");
    const std::string_view rest = pattern.substr(folders ? 3 : 2);
    for (std::size_t i = 0; i <= path.size(); ++i) {
      const bool boundary = i == 0 || path[i - 1] == '/';
      if ((!folders || boundary) && Reference(rest, path.substr(i), folders)) return true;
    }
    return false;
  }
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (Reference(pattern.substr(1), path.substr(i), false)) return true;
      if (i < path.size() && path[i] == '/') break;
    }
    return false;
  }
  if (path.empty() || (pattern[0] != path[0] && (pattern[0] != '?' || path[0] == '/')))
    return false;
  return Reference(pattern.substr(1), path.substr(1), pattern[0] == '/');
}

TEST(GlobMatch, EqualsTheReference) {
  std::mt19937 random(11);
  int matches = 0;
  for (int i = 0; i < 200000; ++i) {
    static const char* const kParts[] = {"a", "b", "/", "*", "**", "**/", "/**", "?", "/*", "a/"};
    std::string pattern;
    for (unsigned n = random() % 6; n > 0; --n) pattern += kParts[random() % 10];
    if (pattern.find("***") != std::string::npos) continue;
    std::string path;
    for (unsigned n = random() % 7; n > 0; --n) path += "ab/"[random() % 3];
    const bool expected = Reference(pattern, path, true);
    matches += expected;
    ASSERT_EQ(GlobMatch(pattern, path), expected) << "'" << pattern << "' '" << path << "'";
  }
  EXPECT_GT(matches, 1000);
}

TEST(GlobMatch, HostilePatternsAreQuick) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "**/*a*";
  const std::string path(4000, 'a');
  const std::clock_t start = std::clock();  // CPU time, since other tests run at the same time
  EXPECT_FALSE(GlobMatch(pattern + "x", path));
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace opledger
