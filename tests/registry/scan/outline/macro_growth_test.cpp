// Macro bombs are found from the file alone; macros that only look large are not reported.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_growth.h"

#include <gtest/gtest.h>

#include "tests/rounds.h"

namespace opledger::scan {
namespace {

// Returns the line of the bomb; 0 if there is none.
int BombLine(const std::string& text) {
  const Outline outline = MakeOutline(text, Dialect());
  const std::string& why = outline.unreadable;
  if (why.empty()) return 0;
  const std::string opening = "contains a macro bomb: in line ";
  EXPECT_TRUE(why.starts_with(opening)) << why;
  EXPECT_EQ(outline.macros.empty(), false) << "others may use its macros";
  return std::stoi(why.substr(opening.size()));
}

std::string Chain(int length, const std::string& step) {
  std::string text;
  for (int i = 0; i < length; ++i) {
    std::string next = "M" + std::to_string(i + 1);
    std::string line = "#define M" + std::to_string(i) + " " + step + "\n";
    for (std::size_t at; (at = line.find('@')) != std::string::npos;) line.replace(at, 1, next);
    text += line;
  }
  return text + "#define M" + std::to_string(length) + " x\n";
}

std::string Repeat(int times, const std::string& text) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(MacroGrowth, CountsDoubling) {
  EXPECT_EQ(BombLine(Chain(24, "@ @") + "int a[] = {M0};\n"), 0);   // 16.8 million
  EXPECT_EQ(BombLine(Chain(25, "@ @") + "int a[] = {M0};\n"), 27);  // 33.6 million
  EXPECT_EQ(BombLine(Chain(24, "@ @") + "int a = M0;\nint b = M0;\n"), 27);
  EXPECT_EQ(BombLine(Chain(40, "@ @") + "M0\n"), 42);
  EXPECT_EQ(BombLine(Chain(8, "@ @ @ @ @ @ @ @ @ @") + "M0\n"), 10);
  EXPECT_EQ(BombLine(Chain(200, "@") + Repeat(1000, "M0;")), 0);
}

TEST(MacroGrowth, TakesMacrosInAnyOrder) {
  std::string reversed = "#define M40 x\n";
  for (int i = 40; i-- > 0;) {
    std::string next = "M" + std::to_string(i + 1);
    reversed += "#define M" + std::to_string(i) + " " + next + " " + next + "\n";
  }
  EXPECT_EQ(BombLine(reversed + "M0\n"), 42);
}

TEST(MacroGrowth, CountsNestedCalls) {
  const std::string twice = "#define F(x) x x\n";
  EXPECT_EQ(BombLine(twice + Repeat(20, "F(") + "1" + Repeat(20, ")")), 0);
  EXPECT_EQ(BombLine(twice + Repeat(40, "F(") + "1" + Repeat(40, ")")), 2);
  EXPECT_EQ(BombLine(twice + "\n" + Repeat(40, "F\n(") + "1" + Repeat(40, ")")), 27);
  EXPECT_EQ(BombLine("#define F(x, ...) __VA_ARGS__ __VA_ARGS__\n" + Repeat(40, "F(,") + "1" +
                     Repeat(40, ")")),
            2);
  EXPECT_EQ(BombLine("#define F(x, y) x y y\n" + Repeat(40, "F(") + "1" + Repeat(40, ", 2)")), 0);
  EXPECT_EQ(BombLine("#define F(x, y) x y y\n" + Repeat(40, "F(1, ") + "1" + Repeat(40, ")")), 2);
  EXPECT_EQ(BombLine(twice + "#define G(x) " + Repeat(8, "F(") + "x" + Repeat(8, ")") +
                     "\n#define H(x) G(G(G(G(x))))\nH(1)\n"),
            4);
  // Consecutive calls are not nested.
  EXPECT_EQ(BombLine(twice + Repeat(10'000, "F((1) + (2)); (F(3));\n")), 0);
}

TEST(MacroGrowth, CountsMacrosThatNameEachOther) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "#define M" + std::to_string(i);
    for (int k = 0; k < 30; ++k) text += " M" + std::to_string(k);
    text += "\n";
  }
  EXPECT_EQ(BombLine(text + "M0\n"), 31);
  EXPECT_EQ(BombLine("#define A B B\n#define B A A\nA B\n"), 0);
  EXPECT_EQ(BombLine("#define F(x) F(x x) F(x x)\nF(F(F(F(1))))\n"), 0);
}

TEST(MacroGrowth, NeedsAUse) {
  EXPECT_EQ(BombLine(Chain(40, "@ @") + "int a;\n"), 0);
  EXPECT_EQ(BombLine(Chain(40, "@ @") + "// M0\nconst char* s = \"M0\";\n#define USE M0\n"), 0);
  EXPECT_EQ(BombLine(Chain(40, "@ @") + "#undef M0\n" + "int a;\n"), 0);
}

TEST(MacroGrowth, GoesDeepInBoundedTime) {
  const int deep = Rounds(200'000);
  EXPECT_EQ(BombLine(Chain(deep, "@") + "M0\n"), 0);
  EXPECT_EQ(BombLine(Chain(deep, "@ @") + "M0\n"), deep + 2);
  EXPECT_EQ(BombLine("#define F(x) x\n" + Repeat(deep, "F(") + "1" + Repeat(deep, ")")), 0);
  EXPECT_EQ(BombLine("#define F(x) x x\n" + Repeat(deep, "F(") + "1" + Repeat(deep, ")")), 2);
}

}  // namespace
}  // namespace opledger::scan
