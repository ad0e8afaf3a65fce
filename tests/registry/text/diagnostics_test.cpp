// Format of diagnostics: like clang's, sorted, and no name can forge a line.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/diagnostics.h"

#include <gtest/gtest.h>

#include "registry/text/json_quote.h"

namespace opledger {
namespace {

Location At(std::string path, int line, int column, int end_column) {
  return {std::move(path), line, column, line, end_column};
}

TEST(Diagnostics, Shape) {
  Diagnostics diagnostics;
  diagnostics.Add({Severity::kError, At("lists/float16.json", 3, 5, 12), "unknown field 'targt'",
                   "did you mean 'target'?", "    \"targt\": [],"});
  EXPECT_EQ(RenderDiagnostics(diagnostics),
            "lists/float16.json:3:5: error: unknown field 'targt'\n"
            "    3 |     \"targt\": [],\n"
            "      |     ^~~~~~~\n"
            "hint: did you mean 'target'?\n");
}

TEST(Diagnostics, WithoutPlace) {
  Diagnostics diagnostics;
  diagnostics.Error({.path = "a.json"}, "cannot read", "give another");
  diagnostics.Warning({}, "no list");
  EXPECT_EQ(RenderDiagnostics(diagnostics),
            "opledger: warning: no list\n"
            "a.json: error: cannot read\nhint: give another\n");
}

TEST(Diagnostics, SortedAndOnce) {
  Diagnostics diagnostics;
  diagnostics.Error(At("b", 1, 1, 2), "four");
  diagnostics.Error(At("a", 10, 1, 2), "three");
  diagnostics.Error(At("a", 9, 2, 3), "two");
  diagnostics.Error(At("a", 9, 1, 3), "one");
  diagnostics.Error(At("b", 1, 1, 2), "four");
  EXPECT_EQ(RenderDiagnostics(diagnostics),
            "a:9:1: error: one\na:9:2: error: two\na:10:1: error: three\nb:1:1: error: four\n");
  EXPECT_EQ(diagnostics.all().size(), 5u);
}

TEST(Diagnostics, OnlyErrorsAreErrors) {
  Diagnostics diagnostics;
  diagnostics.Warning({}, "careful");
  EXPECT_FALSE(diagnostics.has_errors());
  diagnostics.Error({}, "no");
  EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Diagnostics, KeepsAThousandAndCountsTheRest) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1500; ++i) diagnostics.Error(At("a", i + 1, 1, 1), "no");
  EXPECT_EQ(diagnostics.all().size(), 1000u);
  EXPECT_EQ(diagnostics.omitted(), 500u);
  EXPECT_TRUE(
      RenderDiagnostics(diagnostics).ends_with("\nopledger: note: 500 more are not shown\n"));
}

TEST(Diagnostics, WarningsNeverHideTheError) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1500; ++i) diagnostics.Warning(At("a", i + 1, 1, 1), "careful");
  diagnostics.Error({}, "why it failed");
  EXPECT_EQ(diagnostics.all().size(), 1000u);
  EXPECT_EQ(diagnostics.omitted(), 501u);
  EXPECT_NE(RenderDiagnostics(diagnostics).find("error: why it failed"), std::string::npos);
}

TEST(Diagnostics, NoForgedLines) {
  Diagnostics diagnostics;
  diagnostics.Add(
      {Severity::kError, At("a\n::error::b", 1, 1, 2), "x\r\ny\x1b[31m", "h\nk", "text\x07"});
  EXPECT_EQ(RenderDiagnostics(diagnostics),
            "a\\x0A::error::b:1:1: error: x\\x0D\\x0Ay\\x1B[31m\n"
            "    1 | text\\x07\n"
            "      | ^\n"
            "hint: h\\x0Ak\n");
}

// GitHub looks for "::" after leading spaces, and for "##[" anywhere in a line.
TEST(Printable, BreaksCommandsOfPipelines) {
  EXPECT_EQ(Printable("::error::x"), "\\x3A:error::x");
  EXPECT_EQ(Printable(" \xC2\xA0\xE3\x80\x80::error::x"), " \xC2\xA0\xE3\x80\x80\\x3A:error::x");
  EXPECT_EQ(Printable("a::b"), "a::b");
  EXPECT_EQ(Printable("a ##[group]b ###[x ##vso[y"), "a \\x23#[group]b #\\x23#[x \\x23#vso[y");
  EXPECT_EQ(Printable("## [a] #[b] ##"), "## [a] #[b] ##");
  EXPECT_EQ(JsonQuote("a##[b##"), "\"a\\u0023#[b##\"");
}

TEST(Printable, EscapesOnlyWhatIsUnsafe) {
  EXPECT_EQ(Printable("plain \xC3\xA9 \xE2\x82\xAC"), "plain \xC3\xA9 \xE2\x82\xAC");
  EXPECT_EQ(Printable("\x7f"), "\\x7F");
  EXPECT_EQ(Printable("\xFFz"), "\\xFFz");
  EXPECT_EQ(Printable("\xC2\x9B"), "\\xC2\\x9B");
  EXPECT_EQ(Printable("\xE2\x80\xAE"), "\\xE2\\x80\\xAE");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Snippet, CaretsUnderWhatIsShown) {
  // A tab takes one column, an escaped byte four, an accented letter one.
  EXPECT_EQ(RenderSnippet(At("a", 7, 2, 4), "\tab"), "    7 |  ab\n      |  ^~\n");
  EXPECT_EQ(RenderSnippet(At("a", 7, 2, 3), "\x01z"), "    7 | \\x01z\n      |     ^\n");
  EXPECT_EQ(RenderSnippet(At("a", 7, 3, 4), "\xC3\xA9z"), "    7 | \xC3\xA9z\n      |  ^\n");
  EXPECT_EQ(RenderSnippet(At("a", 123456, 1, 2), "x"), "123456 | x\n       | ^\n");
}

TEST(Snippet, EndsOfLinesAndRegions) {
  EXPECT_EQ(RenderSnippet(At("a", 1, 3, 3), "ab"), "    1 | ab\n      |   ^\n");
  EXPECT_EQ(RenderSnippet({"a", 1, 2, 3, 1}, "abcd"), "    1 | abcd\n      |  ^~~\n");
  EXPECT_EQ(RenderSnippet(At("a", 1, 1, 99), "abcd"), "    1 | abcd\n      | ^~~~\n");
  EXPECT_EQ(RenderSnippet({"a", 0, 0, 0, 0}, "abcd"), "");
  EXPECT_EQ(RenderSnippet(At("a", 1, 1, 2), ""), "");
}

TEST(Snippet, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "BAD" + std::string(500, 'c');
  const std::string snippet = RenderSnippet(At("a", 1, 501, 504), line);
  EXPECT_LE(snippet.size(), 300u);
  const std::size_t shown = snippet.find("BAD");
  ASSERT_NE(shown, std::string::npos);
  const std::size_t second = snippet.find('\n') + 1;
  EXPECT_EQ(snippet.substr(second + shown, 3), "^~~");
}

}  // namespace
}  // namespace opledger
