// Resolves conditions by the file's own macros.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_states.h"

#include <gtest/gtest.h>

namespace opledger::scan {
namespace {

// Returns the condition at the place marked HERE.
std::string At(const std::string& text) {
  Outline outline = MakeOutline(text, Dialect());
  return outline.StackCondition(outline.BranchAt(static_cast<Offset>(text.find("HERE")))).text();
}

TEST(ResolveConditions, KnowsWhatIsAlwaysDefined) {
  EXPECT_EQ(At("#define X 1\n#if X\nHERE\n#endif\n"), "");
  EXPECT_EQ(At("#define X 1\n#if X\n#else\nHERE\n#endif\n"), "0");
  EXPECT_EQ(At("#define X\n#ifdef X\nHERE\n#endif\n"), "");
  EXPECT_EQ(At("#define X 2\n#undef X\n#if defined(X) || X == 2\nHERE\n#endif\n"), "0");
  EXPECT_EQ(At("#define F(x) x\n#ifdef F\nHERE\n#endif\n"), "");
}

TEST(ResolveConditions, LeavesOtherMacrosAlone) {
  EXPECT_EQ(At("#define Y 1\n#if X\nHERE\n#endif\n"), "X");
  EXPECT_EQ(At("#if X\nHERE\n#endif\n#define X 1\n"), "X") << "defined only later";
  EXPECT_EQ(At("#ifndef G\n#define G\n#if X\nHERE\n#endif\n#endif\n"), "X");
}

TEST(ResolveConditions, TakesDefaults) {
  EXPECT_EQ(At("#ifndef X\n#define X 0\n#endif\n#if X\nHERE\n#endif\n"), "X");
  EXPECT_EQ(At("#ifndef X\n#define X 1\n#endif\n#if X\nHERE\n#endif\n"), "!defined(X) || X");
  EXPECT_EQ(At("#ifndef X\n#define X 0\n#endif\n#if X == 2\nHERE\n#endif\n"), "X == 2");
}

TEST(ResolveConditions, FollowsDerivedMacros) {
  EXPECT_EQ(At("#undef X\n#if A && !defined(B)\n#define X\n#endif\n#ifdef X\nHERE\n#endif\n"),
            "!defined(B) && A");
  EXPECT_EQ(At("#define X (Y + 1)\n#define Y A\n#if X == 2\nHERE\n#endif\n"), "A + 1 == 2");
  EXPECT_EQ(At("#if A\n#define X 1\n#elif B\n#define X 2\n#else\n#define X 3\n#endif\n"
               "#if X == 2\nHERE\n#endif\n"),
            "!A && B");
}

TEST(ResolveConditions, UsesWhatHoldsAround) {
  EXPECT_EQ(At("#if A\n#define X 1\n#endif\n#if A\n#if X\nHERE\n#endif\n#endif\n"), "A");
  EXPECT_EQ(At("#undef X\n#if A\n#define X\n#endif\n#if !A\n#ifdef X\nHERE\n#endif\n#endif\n"),
            "0");
}

TEST(ResolveConditions, PastesNames) {
  EXPECT_EQ(At("#define HAVE(x) HAVE_##x\n#if HAVE(FFT)\nHERE\n#endif\n"), "HAVE_FFT");
  EXPECT_EQ(At("#define ON_A 1\n#define IS(x) ON_##x\n#if IS(A)\nHERE\n#endif\n"), "");
  EXPECT_EQ(At("#define ON_A B\n#define IS(x) ON_##x\n#if IS(A) > 2\nHERE\n#endif\n"), "B > 2");
  EXPECT_EQ(At("#define C_(a, b) a##b\n#define C(a, b) C_(a, b)\n#define N 2\n"
               "#if C(1, N) == 12\nHERE\n#endif\n"),
            "");
  EXPECT_EQ(At("#define J(a, b) a##b\n#if J(, 3) == 3\nHERE\n#endif\n"), "");
  EXPECT_NE(At("#define J(a) a##&\n#if J(1)\nHERE\n#endif\n"), "") << "no token";
}

// Linux's idiom for testing options.
TEST(ResolveConditions, ExpandsVariadicMacros) {
  const std::string enabled =
      "#define JUNK_1 0,\n#define SECOND(a, b, ...) b\n#define IS_2(junk) SECOND(junk 1, 0)\n"
      "#define IS_1(x) IS_2(JUNK_##x)\n#define IS(x) IS_1(x)\n";
  EXPECT_EQ(At(enabled + "#define A 1\n#if IS(A)\nHERE\n#endif\n"), "");
  EXPECT_EQ(At(enabled + "#define A 2\n#if IS(A)\nHERE\n#endif\n"), "0");
  EXPECT_EQ(At(enabled + "#undef A\n#if IS(A)\nHERE\n#endif\n"), "0");
  EXPECT_EQ(At(enabled + "#if IS(A)\nHERE\n#endif\n"), "IS(A)") << "the build defines A";
  EXPECT_EQ(At("#define LAST(a, r...) r\n#if LAST(1, 0)\nHERE\n#endif\n"), "0");
}

TEST(ResolveConditions, CallsWhatAMacroNames) {
  EXPECT_EQ(At("#define F(x) x\n#define G F\n#if G(1)\nHERE\n#endif\n"), "");
  EXPECT_EQ(At("#define F(x) x\n#define APPLY(f, x) f(x)\n#if APPLY(F, 0)\nHERE\n#endif\n"), "0");
}

TEST(ResolveConditions, EndsOnRecursion) {
  EXPECT_EQ(At("#define X X\n#if X\nHERE\n#endif\n"), "X");
  EXPECT_FALSE(At("#define X Y\n#define Y X + 1\n#if X\nHERE\n#endif\n").empty());
}

TEST(ResolveConditions, ExpandsAsTokens) {
  EXPECT_EQ(At("#define A 1 + 1\n#if A * 2 == 3\nHERE\n#endif\n"), "");
  EXPECT_EQ(
      At("#define V(a, b) ((a) * 100 + (b))\n#define M 3\n#if V(M, 2) == 302\nHERE\n#endif\n"), "");
  EXPECT_EQ(At("#define V(a) a\n#if V\nHERE\n#endif\n"), "0") << "not called";
  EXPECT_NE(At("#define V(a) a##1\n#if V(1)\nHERE\n#endif\n"), "0") << "unknown";
  EXPECT_EQ(At("\n\n#if __LINE__ == 3\nHERE\n#endif\n"), "");
}

TEST(ResolveConditions, RestoresWhatWasPushed) {
  const std::string other = "#undef X\n#define X 0\n";
  EXPECT_EQ(At("#define X 1\n#pragma push_macro(\"X\")\n" + other +
               "#pragma pop_macro(\"X\")\n#if X\nHERE\n#endif\n"),
            "");
  EXPECT_EQ(At("_Pragma(\"push_macro(\\\"X\\\")\")\n" + other +
               "#pragma pop_macro(\"X\")\n#if X\nHERE\n#endif\n"),
            "X");
  EXPECT_EQ(At(other + "#pragma pop_macro(\"X\")\n#if X\nHERE\n#endif\n"), "pop_macro(\"X\")")
      << "the pushed definition is unknown";
}

TEST(ResolveConditions, WaitsForIncludes) {
  EXPECT_EQ(At("#define X 0\n#include \"x.h\"\n#if X\nHERE\n#endif\n"), "X");
}

TEST(StatesAt, ExcludeEachOther) {
  std::string text =
      "#define W 0\n#if A\n#undef W\n#define W 1\n#endif\n#ifdef B\n#undef W\n#endif\nHERE";
  Outline outline = MakeOutline(text, Dialect());
  std::vector<MacroEvent> events;
  for (const MacroDefinition& macro : outline.macros) {
    events.push_back({macro.offset, {outline.StackCondition(macro.branch), &macro, -1}});
  }
  const auto end = static_cast<Offset>(text.size());
  std::vector<std::string> told;
  for (const MacroState& state : StatesAt(events, end, Condition())) {
    told.push_back(std::to_string(state.macro - outline.macros.data()) + ": " + state.when.text());
  }
  EXPECT_EQ(told, (std::vector<std::string>{"0: !A && !defined(B)", "2: !defined(B) && A",
                                            "3: defined(B)"}));
  std::vector<MacroState> states = StatesAt(events, 3, Condition());
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states[0].macro, nullptr) << "nothing is defined yet";
  states = StatesAt(events, end, Condition::FromExpression("A && !defined(B)"));
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states[0].macro, &outline.macros[2]);
}

}  // namespace
}  // namespace opledger::scan
