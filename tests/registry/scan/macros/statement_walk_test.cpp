// Where statements that may register begin and end, and which conditionals affect them.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/statement_walk.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

Statements Walk(const std::string& text, const NameSet& leading = {"REG", "WRAP"}) {
  return WalkStatements(text, MakeOutline(text, Dialect()), leading);
}

NameSet Only(const Statements& statements) {
  EXPECT_EQ(statements.all.size(), 1U);
  return statements.all.empty() ? NameSet() : statements.all[0].identifiers;
}

TEST(StatementWalk, EndsAtTheSemicolonOutsideBrackets) {
  EXPECT_EQ(Only(Walk("int a; REG(b).c([]() { d; e(); }, f)\n.g(h; i); int j;")),
            (NameSet{"REG", "b", "c", "f", "g", "h", "i"}));
  EXPECT_EQ(Walk("REG(a); x; REG(b); WRAP(c);").all.size(), 3U);
}

TEST(StatementWalk, EndsWhereABlockEndsOrBegins) {
  EXPECT_EQ(Only(Walk("void f() { REG(a) } int b;")), (NameSet{"REG", "a"}));
  EXPECT_EQ(Only(Walk("REG(a)\nstruct B { int c; };")), (NameSet{"REG", "a", "struct", "B"}));
}

TEST(StatementWalk, TakesTheStatementsOfABlockOneByOne) {
  std::string text =
      "SCOPE(n, m) {\n m.def(A, [](T x) { CHECK(x); return x; });\n"
      "#ifdef X\n OP(b)\n#endif\n if (c) { OP(d); }\n m.impl(e); }\nvoid f() { g; }\n"
      "PLAIN(h) { i; }";
  Outline outline = MakeOutline(text, Dialect());
  NameSet leading{"SCOPE", "PLAIN"};
  Statements found = WalkStatements(text, outline, leading, NameSet{"PLAIN"});
  NameSet all;
  for (const Statement& statement : found.all) {
    all.insert(statement.identifiers.begin(), statement.identifiers.end());
  }
  for (const char* name : {"SCOPE", "A", "OP", "b", "d", "e", "PLAIN", "h"}) {
    EXPECT_TRUE(all.contains(name)) << name;
  }
  for (const char* name : {"CHECK", "f", "g", "i"}) EXPECT_FALSE(all.contains(name)) << name;
  EXPECT_EQ(found.branches, std::vector<int>{0});
  EXPECT_GE(found.all.size(), 4U);
  EXPECT_EQ(Only(WalkStatements(text, outline, {"SCOPE"})), (NameSet{"SCOPE", "n", "m"}));
}

TEST(StatementWalk, TakesTheCallsAroundIt) {
  EXPECT_EQ(Only(Walk("IF(x, REG(a)).later(b); c;")),
            (NameSet{"IF", "x", "REG", "a", "later", "b"}));
  EXPECT_EQ(Only(Walk("IF(REG(a);) c d;")), (NameSet{"IF", "REG", "a"}));
  EXPECT_EQ(Only(Walk("void f(int x) { REG(a); }")), (NameSet{"REG", "a"}));
}

TEST(StatementWalk, FindsOnesInsideBraces) {
  Statements found = Walk("REG(a).b([]() { x; REG(c); y; }).d(e);");
  ASSERT_FALSE(found.all.empty());
  EXPECT_TRUE(found.all[0].identifiers.contains("c"));
  EXPECT_FALSE(found.all[0].identifiers.contains("x"));
}

TEST(StatementWalk, MarksConditionalsAroundAndInside) {
  Statements found = Walk(
      "#if A\nint a;\n#endif\n#if B\nREG(b)\n#if C\n.c()\n#else\n.d()\n#endif\n;\n#endif\n"
      "#ifdef D\nint d;\n#else\nvoid f() {\n#if E\n#endif\n}\n#endif\n");
  EXPECT_EQ(found.branches, (std::vector<int>{1, 2, 3}));
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].branches, (std::set<int>{1, 2, 3}));
}

TEST(StatementWalk, IgnoresConditionalsInLambdaBodies) {
  EXPECT_TRUE(Walk("REG(a).b([]() {\n#if A\nx;\n#endif\n});").branches.empty());
}

TEST(StatementWalk, JoinsBranchesThatOneSemicolonEnds) {
  Statements found = Walk("#if A\nREG(a)\n#else\nWRAP(b)\n#endif\n.c(d);\nint e;");
  ASSERT_FALSE(found.all.empty());
  EXPECT_EQ(found.all[0].identifiers, (NameSet{"REG", "a", "WRAP", "b", "c", "d"}));
  EXPECT_EQ(found.all[0].branches, (std::set<int>{kNoBranch, 0, 1}));
}

TEST(StatementWalk, GoesOnWhereOnlySomeBranchesEndIt) {
  Statements found = Walk("REG(a)\n#if A\n;\n#else\n.b()\n#endif\n.c(d);\nint e;");
  EXPECT_EQ(Only(found), (NameSet{"REG", "a", "b", "c", "d"}));
}

TEST(StatementWalk, SeesNoDirectivesCommentsOrStrings) {
  EXPECT_TRUE(
      Walk("#define X REG(a)\n// REG(b)\n/* REG(c) */ \"REG(d)\" R\"(REG(e))\";").all.empty());
}

// Returns the text with idle parts blanked and spaces collapsed.
std::string Busy(std::string text) {
  for (Range range : Walk(text).idle) {
    for (Offset at = range.begin; at < range.end; ++at) text[at] = ' ';
  }
  std::string squeezed;
  for (char c : text) {
    const bool blank = squeezed.empty() || squeezed.back() == ' ' || squeezed.back() == '\n';
    if (c != ' ' || !blank) squeezed.push_back(c);
  }
  return squeezed;
}

TEST(StatementWalk, LeavesWhatNamesNoLeadingMacroIdle) {
  EXPECT_EQ(Busy("int a; x.REG(b).c([]() { d; }, e); int f;"), "x.REG(b).c([]() { d; }, e); ");
  EXPECT_EQ(Busy("void f() { g(); r REG(a); h(); }"), "r REG(a); ");
  EXPECT_EQ(Busy("IF(x; { y; REG(a) }, z) v; w;"), "IF(x; { y; REG(a) }, z) v; ");
  EXPECT_EQ(Busy("int a;\n#define b c\nint d;"), "\n#define b c\n");
  EXPECT_EQ(Busy("a {REG(b)} c;"), "REG(b)} ");
}

TEST(StatementWalk, KeepsWhatAnyBranchLeavesUnfinished) {
  EXPECT_EQ(Busy("a\n#if X\n;\n#endif\nREG(b); c;"), "a\n#if X\n;\n#endif\nREG(b); ");
  EXPECT_EQ(Busy("a;\n#if X\nb; c\n#else\nd;\n#endif\nREG(e);"),
            "\n#if X\nc\n#else\nd;\n#endif\nREG(e);");
  EXPECT_EQ(Busy("#if X\nREG(a)\n#else\nb\n#endif\n.c(); d;"),
            "#if X\nREG(a)\n#else\nb\n#endif\n.c(); ");
  EXPECT_EQ(Busy("a;\n#if X\nb;\n#endif\nREG(c);"), "\n#if X\n\n#endif\nREG(c);");
}

TEST(StatementWalk, LeavesNothingIdleWhereBracketsDoNotMatch) {
  for (const std::string text : {"int a; ) REG(b);", "int a; (] REG(b);", "int a; { REG(b);",
                                 "a; @ REG(b);", "a;\n#if X\n{\n#endif\nREG(b); }",
                                 "a; REG(b);\n#if X\n", "a;\n#if X\n(\n#else\n[\n#endif\n"}) {
    EXPECT_TRUE(Walk(text).idle.empty()) << text;
  }
}

TEST(StatementWalk, SurvivesUnbalancedText) {
  for (const char* text : {"REG(", "REG)", ")))} REG(a)", "REG(a}", "#if A\nREG(a",
                           "#endif\nREG(a);", "#else\nREG(a)\n#endif"}) {
    EXPECT_EQ(Walk(text).all.size(), 1U) << text;
  }
}

}  // namespace
}  // namespace opledger::scan
