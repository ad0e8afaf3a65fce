// What the raw pass extracts: conditionals, definitions, includes, suspicious names, include
// guards.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/outline.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

Outline Make(const std::string& text) {
  Dialect dialect;
  dialect.suspicious = "REGISTER";
  return MakeOutline(text, dialect);
}

std::vector<std::string> Conditions(const Outline& outline) {
  std::vector<std::string> all;
  for (int i = 0; i < static_cast<int>(outline.branches.size()); ++i) {
    all.push_back(outline.StackCondition(i).text());
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(Outline, NestsConditionals) {
  Outline outline = Make(
      "#ifdef A\n#if B > 1  // comment\nx\n#elif defined(C)\n#else\n#endif\n#elifndef D\n#endif\n");
  EXPECT_EQ(Conditions(outline),
            (Texts{"defined(A)", "B > 1 && defined(A)", "B <= 1 && defined(A) && defined(C)",
                   "!defined(C) && B <= 1 && defined(A)", "!defined(A) && !defined(D)"}));
  EXPECT_EQ(outline.branches[1].parent, 0);
  EXPECT_EQ(outline.branches[3].previous, 2);
  EXPECT_EQ(outline.branches[4].previous, 0);
}

TEST(Outline, FindsTheBranchOfAByte) {
  std::string text = "a\n#if A\nb\n#if B\nc\n#endif\nd\n#else\ne\n#endif\nf\n";
  Outline outline = Make(text);
  auto at = [&](char c) { return outline.BranchAt(static_cast<Offset>(text.find(c))); };
  EXPECT_EQ(at('a'), kNoBranch);
  EXPECT_EQ(at('b'), 0);
  EXPECT_EQ(at('c'), 1);
  EXPECT_EQ(at('d'), 0);
  EXPECT_EQ(outline.BranchAt(static_cast<Offset>(text.rfind("e\n#endif"))), 2);
  EXPECT_EQ(outline.BranchAt(static_cast<Offset>(text.rfind('f'))), kNoBranch);
}

TEST(Outline, TakesOddDirectives) {
  Outline outline = Make(
      "  #  ifdef A junk\nx\n # /* c */ else\n%:endif\n#if(B)\n#endif "
      "C\n#else\n#endif\n#elif D\n"
      "/* \n#if E\n*/ \"#if F\"\n");
  EXPECT_EQ(Conditions(outline), (Texts{"defined(A)", "!defined(A)", "B"}));
}

TEST(Outline, JoinsContinuedLines) {
  Outline outline = Make("#if A \\\n && B\n#endif\n#de\\\nfine LO\\\nNG(x) x \\\n  y\n");
  EXPECT_EQ(Conditions(outline), Texts{"A && B"});
  ASSERT_EQ(outline.macros.size(), 1U);
  EXPECT_EQ(outline.macros[0].name, "LONG");
  EXPECT_EQ(outline.macros[0].identifiers, Texts{"y"});
}

TEST(Outline, ReadsDefinitions) {
  Outline outline = Make(
      "#define ONE(a, b...) two(a, three) \"four\" /* five */ #b // six\n"
      "#define TWO(x, ...) pre_##x##_post mid##x __VA_ARGS__ a##b\n#undef ONE\n#define EMPTY\n");
  ASSERT_EQ(outline.macros.size(), 4U);
  EXPECT_EQ(outline.macros[0].text.substr(0, 12), "ONE(a, b...)");
  EXPECT_EQ(outline.macros[0].identifiers, (Texts{"two", "three"}));
  const MacroDefinition& two = outline.macros[1];
  EXPECT_EQ(two.identifiers, (Texts{"pre_", "_post", "mid", "a", "b", "ab"}));
  ASSERT_EQ(two.pastes.size(), 2U);
  EXPECT_EQ(two.pastes[0], std::make_pair(std::string("pre_"), std::string("_post")));
  EXPECT_EQ(two.pastes[1], std::make_pair(std::string("mid"), std::string()));
  EXPECT_TRUE(outline.macros[2].undefines);
  EXPECT_EQ(outline.macros[3].text, "EMPTY");
}

TEST(Outline, ReadsIncludes) {
  Outline outline = Make(
      "#include <a/b.h>\n# include \"c.h\" // x\n#if A\n#include NAME\n#endif\n#include_next "
      "<d>\n");
  ASSERT_EQ(outline.includes.size(), 4U);
  EXPECT_TRUE(outline.includes[0].angled);
  EXPECT_EQ(outline.includes[0].target, "a/b.h");
  EXPECT_EQ(outline.includes[1].target, "c.h");
  EXPECT_TRUE(outline.includes[2].computed);
  EXPECT_EQ(outline.includes[2].branch, 0);
  EXPECT_EQ(outline.includes[3].target, "d");
}

TEST(Outline, KnowsIncludeGuards) {
  EXPECT_TRUE(Make("#pragma once\nint x;\n").guarded);
  EXPECT_TRUE(Make("// c\n#ifndef G\n#define G\nint x;\n#endif  // G\n").guarded);
  EXPECT_TRUE(Make("#if !defined(G)\n#define G 1\n#if A\n#endif\n#endif\n").guarded);
  EXPECT_FALSE(Make("#ifndef G\n#define G\n#endif\nint x;\n").guarded);
  EXPECT_FALSE(Make("#ifndef G\n#define H\n#endif\n").guarded);
  EXPECT_FALSE(Make("#ifndef G\n#define G\n#else\n#endif\n").guarded);
  EXPECT_FALSE(Make("int x;\n#ifndef G\n#define G\n#endif\n").guarded);
  Outline guarded = Make("#ifndef G\n#define G\n#if A\nx\n#endif\n#endif\n");
  EXPECT_EQ(guarded.StackCondition(1).text(), "A");
}

TEST(Outline, TakesCallsOfSuspiciousNamesForRegistrations) {
  Outline outline = Make(
      "REGISTER_A(x);\nnamespace n {\nREGISTER_B(y)\n}\nvoid f() { REGISTER_C(z); }\n"
      "int a = REGISTER_D(1);\nREGISTER_E;\n#define X REGISTER_F(1)\n// REGISTER_G(1)\n"
      "extern \"C\" {\nREGISTER_H(1); }\n#if A\nint g() {\n#else\nint g(int) "
      "{\n#endif\n}\nREGISTER_I(1)\n");
  Texts registering;
  for (const SuspiciousName& suspicious : outline.suspicious_names) {
    if (suspicious.registers) registering.push_back(suspicious.name);
  }
  EXPECT_EQ(registering, (Texts{"REGISTER_A", "REGISTER_B", "REGISTER_C", "REGISTER_D",
                                "REGISTER_H", "REGISTER_I"}));
  EXPECT_EQ(outline.suspicious_names.size(), 7U) << "those that do not register are recorded, too";
}

TEST(Outline, MentionsIdentifiersOutsideDirectivesOnly) {
  Outline outline = Make("one /* two */ \"three\"\n#define four five\nsi\\\nx\n");
  EXPECT_TRUE(outline.Mentions("one"));
  EXPECT_TRUE(outline.Mentions("six"));
  for (const char* name : {"two", "three", "four", "five"}) EXPECT_FALSE(outline.Mentions(name));
}

TEST(Outline, RefusesOtherFiles) {
  EXPECT_FALSE(Make(std::string("int x;\0", 7)).unreadable.empty());
  EXPECT_FALSE(Make("\x01\x02\x03\x04").unreadable.empty());
  EXPECT_TRUE(Make("// caf\xe9\n").unreadable.empty());
  EXPECT_TRUE(Make("").unreadable.empty());
}

TEST(Outline, SurvivesTheCache) {
  Outline outline = Make(
      "#ifndef G\n#define G\n#include <a>\n#if A\n#define W(x) a_##x\n#endif\n#define B 1\n#if B\n"
      "REGISTER_X(y);\n#endif\n#endif\n");
  std::string bytes = SerializeOutline(outline);
  std::optional<Outline> again = ParseOutline(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(SerializeOutline(*again), bytes);
  EXPECT_EQ(Conditions(*again), Conditions(outline));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseOutline(bytes.substr(0, size))) << "cut at " << size;
  }
}

}  // namespace
}  // namespace opledger::scan
