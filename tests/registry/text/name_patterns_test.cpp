// Expressions match anywhere in a name of any length; features that RE2 lacks are rejected.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/name_patterns.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

TEST(NamePatterns, FindsAnyOfThemAnywhere) {
  NamePatterns patterns;
  EXPECT_FALSE(patterns.Match("a"));
  ASSERT_TRUE(patterns.Add("^/encoder/"));
  ASSERT_TRUE(patterns.Add("norm[0-9]+$"));
  EXPECT_TRUE(patterns.Match("/encoder/mul"));
  EXPECT_TRUE(patterns.Match("/decoder/norm12"));
  EXPECT_FALSE(patterns.Match("/decoder/encoder/mul"));
  EXPECT_FALSE(patterns.Match("norm1/add"));
}

// std::regex recurses for each byte, and would crash.
TEST(NamePatterns, MatchesNamesOfAMegabyte) {
  NamePatterns patterns;
  ASSERT_TRUE(patterns.Add("x.*z"));
  const std::string name(1 << 20, 'x');
  EXPECT_FALSE(patterns.Match(name));
  EXPECT_TRUE(patterns.Match(name + "z"));
}

TEST(NamePatterns, RefusesInvalidExpressions) {
  for (const char* const pattern : {"(", "[", "*", "(a)\\1", "(?=a)", "(?!a)", "\\"}) {
    EXPECT_FALSE(NamePatterns().Add(pattern)) << pattern;
  }
}

}  // namespace
}  // namespace opledger
