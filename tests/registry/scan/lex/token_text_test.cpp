// Converts tokens to the text of manifests, literals to values; splits arguments.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/lex/token_text.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

// Lexes with the token kinds that the preprocessor assigns.
LexedText Lex(const std::string& text) {
  LexedText lexed(text);
  for (TextToken& token : lexed.tokens) {
    if (!token.Is(clang::tok::raw_identifier)) continue;
    token.kind = token.Is("return") ? clang::tok::kw_return : clang::tok::identifier;
  }
  return lexed;
}

std::string Canonical(const std::string& text) { return CanonicalText(Lex(text).tokens); }
std::string Joined(const std::string& text) {
  return StringValue(Lex(text).tokens).value_or("(none)");
}

std::vector<std::string> Arguments(const std::string& text) {
  const LexedText lexed = Lex(text);
  std::vector<std::string> arguments;
  for (TokenSpan argument : SplitArguments(lexed.tokens))
    arguments.push_back(CanonicalText(argument));
  return arguments;
}

TEST(TokenText, IsTheSameHoweverSpaced) {
  EXPECT_EQ(Canonical("ElemwiseType < 1,\n 1 >"), "ElemwiseType<1, 1>");
  EXPECT_EQ(Canonical("unsigned   int/* c */x"), "unsigned int x");
  EXPECT_EQ(Canonical("a+b"), Canonical("a + b"));
  EXPECT_EQ(Canonical(""), "");
}

TEST(TokenText, LeavesBodiesOut) {
  EXPECT_EQ(Canonical("[](int n) { return f({n}); }"), "[](int n){...}");
  EXPECT_EQ(Canonical("G{ }"), "G{}");
  EXPECT_EQ(Canonical("G{\"a\", b} + H{}"), "G{...}+H{}");
}

TEST(TokenText, KeepsWhatIsVeryLong) {
  const std::string text(1000, 'x');
  EXPECT_EQ(Canonical(text), text) << "another text may begin in the same way";
}

TEST(StringValue, JoinsLiterals) {
  EXPECT_EQ(Joined("\"a\" \"b\"\n\"c\""), "abc");
  EXPECT_EQ(Joined("((\"a\"))"), "a");
  EXPECT_EQ(Joined("u8\"a\" \"b\""), "ab");
  EXPECT_EQ(Joined("\"\""), "");
}

TEST(StringValue, ReadsEscapes) {
  EXPECT_EQ(Joined(R"("a\tb\\\"\x41\102\0063")"), "a\tb\\\"AB\0063");
  EXPECT_EQ(Joined("R\"x(a\\n)\"b)x\""), "a\\n)\"b");
}

TEST(StringValue, RefusesOtherTokens) {
  for (const char* text : {"", "a", "\"a\" b", "\"a\" + \"b\"", "1", "L\"a\"", "(\"a\") \"b\""}) {
    EXPECT_EQ(Joined(text), "(none)") << text;
  }
}

TEST(SplitArguments, KeepsBracketsTogether) {
  EXPECT_EQ(Arguments("a, f(b, c), {d, e}, g[h, i]"),
            (std::vector<std::string>{"a", "f(b, c)", "{...}", "g[h, i]"}));
  EXPECT_EQ(Arguments("X<1, Y<2, 3>>, z"), (std::vector<std::string>{"X<1, Y<2, 3>>", "z"}));
  EXPECT_EQ(Arguments("a,,b"), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_TRUE(Arguments("").empty());
}

TEST(SplitArguments, TellsComparisonsFromTemplates) {
  EXPECT_EQ(Arguments("1 < 2, 3"), (std::vector<std::string>{"1<2", "3"}));
  EXPECT_EQ(Arguments("a < b && c, d > e"), (std::vector<std::string>{"a<b&&c", "d>e"}));
}

TEST(ReturnedStrings, AreThoseOfTheLongestReturn) {
  EXPECT_EQ(
      ReturnedStrings(Lex("if (x) return V{\"a\"}; log(\"no\"); return V{\"b\", \"c\"};").tokens),
      "b, c");
  EXPECT_EQ(ReturnedStrings(Lex("V{\"a\", \"b\"}").tokens), "a, b");
  EXPECT_EQ(ReturnedStrings(Lex("f(x)").tokens), "");
}

}  // namespace
}  // namespace opledger::scan
