// Splits text: blanks, separators, brackets, lines.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/text.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, Trimmed) {
  EXPECT_EQ(Trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(Trimmed(" \n"), "");
  EXPECT_EQ(Trimmed("\"a \"", "\""), "a ");
}

TEST(Text, Split) {
  EXPECT_EQ(SplitAt("", ','), Parts());
  EXPECT_EQ(SplitAt("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(SplitAt("a,", ','), (Parts{"a", ""}));
}

TEST(Text, SplitOutsideBrackets) {
  EXPECT_EQ(SplitOutsideBrackets("", ','), Parts());
  EXPECT_EQ(SplitOutsideBrackets("f(a, b), c<d, e>,", ','), (Parts{"f(a, b)", " c<d, e>", ""}));
  EXPECT_EQ(SplitOutsideBrackets("a='b,(',c", ','), (Parts{"a='b,('", "c"}));
  EXPECT_EQ(SplitOutsideBrackets("T(a -> *) x, y", ','), (Parts{"T(a -> *) x", " y"}));
  EXPECT_EQ(SplitOutsideBrackets("\"a,b", ','), (Parts{"\"a,b"}));
}

TEST(Text, ClosingBracket) {
  EXPECT_EQ(ClosingBracket("f(a[1], (b)) -> c", 1), 11u);
  EXPECT_EQ(ClosingBracket("f(T(a -> *) x)", 1), 13u);
  EXPECT_EQ(ClosingBracket("(a", 0), 2u);
}

TEST(Text, LineIndex) {
  const std::string text =
      "\xEF\xBB\xBF"
      "ab\r\nc\n";
  const LineIndex lines(text);
  EXPECT_EQ(lines.count(), 3);
  EXPECT_EQ(lines.At(4), std::pair(1, 2));
  EXPECT_EQ(lines.At(7), std::pair(2, 1));
  EXPECT_EQ(lines.At(0), std::pair(1, 1));
  EXPECT_EQ(lines.Line(text, 1), "ab");
  EXPECT_EQ(lines.Line(text, 2), "c");
  EXPECT_EQ(lines.Line(text, 3), "");
  EXPECT_EQ(lines.Line(text, 4), "");
  EXPECT_EQ(lines.Line(text, 0), "");
}

}  // namespace
}  // namespace opledger
