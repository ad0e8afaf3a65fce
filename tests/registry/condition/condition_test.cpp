// Conditions: canonical text, evaluation, satisfiability. The comparison with a real preprocessor
// is in condition_oracle_test.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/condition.h"

#include <gtest/gtest.h>

#include <utility>

namespace opledger {
namespace {

Condition Expression(std::string_view text) { return Condition::FromExpression(text); }

TEST(ConditionTest, CanonicalText) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"A==1", "A == 1"},
      {"1 == A", "A == 1"},
      {"2 < A", "A > 2"},
      {"( ( A ) )", "A"},
      {"!(A == 1)", "A != 1"},
      {"!(A < 1)", "A > 0"},
      {"!!A", "A"},
      {"!!!A", "!A"},
      {"!!A == 1", "A"},
      {"!!(A < B) == 1", "A < B"},
      {"B && A && B", "A && B"},
      {"(C && A) && (B)", "A && B && C"},
      {"B || (A || B)", "A || B"},
      {"A && (C || B)", "A && (B || C)"},
      {"(A && B) || C", "A && B || C"},
      {"!(A && B)", "!A || !B"},
      {"defined A && !defined ( B )", "!defined(B) && defined(A)"},
      {"not defined(A) and B or C", "!defined(A) && B || C"},
      {"A >= 0x10 && B == 0b11 && C == 017 && D == 1'000ull",
       "A >= 16 && B == 3 && C == 15 && D == 1000u"},
      {"A == 'a' || A == '\\n'", "A == 10 || A == 97"},
      {"A ? B : C ? D : E", "A ? B : C ? D : E"},
      {"(A ? B : C) ? D : E", "(A ? B : C) ? D : E"},
      {"(A + B) * C - (D - E) > 1", "(A + B) * C - (D - E) > 1"},
      {"A + (B * C) - D", "A + B * C - D"},
      {"- -A == ~(-B)", "- -A == ~-B"},
      {"A, B", "A, B"},
      {"A /* why */ && \\\n B // end", "A && B"},
      {"A > 2 + 3 * 4", "A > 14"},
      {"A == -9223372036854775807 - 1", "A == (-9223372036854775807 - 1)"},
      {"A == 0xFFFFFFFFFFFFFFFF", "A == 18446744073709551615u"},
      {"__has_include( <a/b.h> )", "__has_include(<a/b.h>)"},
      {"GCC_AT_LEAST( 4 , 8 )&&A", "A && GCC_AT_LEAST(4,8)"},
      {"__has_cpp_attribute(x y) >= 201603L", "__has_cpp_attribute(x y) >= 201603"},
      {"A && 1", "A"},
      {"(A && 1) == 1", "A"},
      {"A || 0", "A"},
      {"true && A", "A"},
  };
  for (const auto& [expression, text] : cases) {
    const Condition condition = Expression(expression);
    EXPECT_EQ(condition.text(), text) << expression;
    EXPECT_EQ(Expression(condition.text()), condition) << expression;
  }
}

TEST(ConditionTest, ConstantsFold) {
  for (const char* always : {"", "1", "5", "true", "A || 1", "1 == 1", "!0", "2 > 1 && 1", "'a'"}) {
    EXPECT_TRUE(Expression(always).IsAlways()) << always;
    EXPECT_TRUE(Expression(always).Evaluate({})) << always;
  }
  for (const char* never : {"0", "false", "A && 0", "1 == 2", "!5", "'\\0'", "0x0"}) {
    EXPECT_TRUE(Expression(never).IsNever()) << never;
    EXPECT_FALSE(Expression(never).CanBeTrue()) << never;
  }
  EXPECT_TRUE(Condition().IsAlways());
  EXPECT_TRUE(Condition::Never().IsNever());
  EXPECT_EQ(Condition().Not(), Condition::Never());
  EXPECT_EQ(Condition::Never().Not(), Condition());
}

TEST(ConditionTest, Combines) {
  const Condition a = Expression("A == 1");
  const Condition b = Condition::Defined("B");
  EXPECT_EQ(a.And(b).text(), "A == 1 && defined(B)");
  EXPECT_EQ(a.And(b), b.And(a));
  EXPECT_EQ(a.And(b).And(a), a.And(b));
  EXPECT_EQ(a.Or(b).text(), "A == 1 || defined(B)");
  EXPECT_EQ(a.Or(b).And(b).text(), "defined(B)");
  EXPECT_EQ(a.Not().text(), "A != 1");
  EXPECT_EQ(a.Not().Not(), a);
  EXPECT_EQ(b.Not().text(), "!defined(B)");
  EXPECT_EQ(a.And(b).Not().Not(), a.And(b));
  EXPECT_EQ(a.And(Condition()), a);
  EXPECT_EQ(a.Or(Condition()), Condition());
  EXPECT_EQ(a.And(Condition::Never()), Condition::Never());
  EXPECT_EQ(a.Or(Condition::Never()), a);
}

TEST(ConditionTest, TextThatCannotBeParsedIsKept) {
  for (const char* text : {"A B", "A &&", "(A", "A = 1", "1.5", "defined(1)", "#x", "A == \"x\"",
                           "'", "/*", "F(", "\"", "08", "99999999999999999999", "''", "\\", "u'"}) {
    const Condition condition = Expression(text);
    EXPECT_EQ(condition.text().rfind("unparsable(\"", 0), 0u) << text;
    EXPECT_EQ(Expression(condition.text()), condition) << text;
    EXPECT_TRUE(condition.CanBeTrue()) << text;
    EXPECT_TRUE(condition.Not().CanBeTrue()) << text;
    EXPECT_FALSE(condition.And(condition.Not()).CanBeTrue()) << text;
    EXPECT_FALSE(condition.Evaluate({})) << text;
    const Condition both = condition.And(Condition::Defined("A"));
    EXPECT_EQ(Expression(both.text()), both) << text;
  }
  EXPECT_NE(Expression("A B"), Expression("A C"));
}

TEST(ConditionTest, DeepNestingIsRefusedNotFatal) {
  const std::string deep(100000, '(');
  EXPECT_TRUE(Expression(deep + "A").CanBeTrue());
  EXPECT_EQ(Expression(std::string(100000, '!') + "A").text(), "A");
  std::string sum = "A";
  for (int i = 0; i < 100000; ++i) sum += "+A";
  EXPECT_EQ(Expression(Expression(sum).text()), Expression(sum));
  Condition chain = Expression("A");
  for (int i = 0; i < 300; ++i) {
    chain = chain.Or(Condition::Defined("B" + std::to_string(i))).And(Expression("C")).Not();
  }
  EXPECT_EQ(Expression(chain.text()).text(), chain.text());
}

TEST(ConditionTest, EvaluatesThroughDefines) {
  const Defines defines = {{"ONE", "1"},    {"NAME", "ONE"},        {"EMPTY", ""},
                           {"HEX", "0x10"}, {"SUM", "(ONE + HEX)"}, {"X", "Y"},
                           {"Y", "X"},      {"LONG", "201703L"}};
  EXPECT_TRUE(Expression("NAME == 1").Evaluate(defines));
  EXPECT_TRUE(Expression("defined(EMPTY) && EMPTY == 0 && !EMPTY").Evaluate(defines));
  EXPECT_TRUE(Expression("SUM == 17").Evaluate(defines));
  EXPECT_TRUE(Expression("X == 0 && Y == 0").Evaluate(defines));
  EXPECT_TRUE(Expression("LONG >= 201402L").Evaluate(defines));
  EXPECT_FALSE(Expression("MISSING").Evaluate(defines));
  EXPECT_FALSE(Expression("defined(MISSING)").Evaluate(defines));
  EXPECT_FALSE(Expression("1 / MISSING").Evaluate(defines));
}

TEST(ConditionTest, BoundsDefinesThatGrow) {
  Defines defines;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "M" + std::to_string(i + 1);
    defines["M" + std::to_string(i)] = next + " + " + next;
  }
  EXPECT_FALSE(Expression("M0 == 1").Evaluate(defines));
}

TEST(ConditionTest, CanBeTrue) {
  for (const char* text : {"A",
                           "!A",
                           "A == 1",
                           "A != 1",
                           "defined(A) && !A",
                           "A > 2 && A < 4",
                           "A > 4294967296",
                           "A < -5",
                           "A && B && !C",
                           "A == B",
                           "A < B && B < C",
                           "A * 100 + B > 408 && A == 3",
                           "F(x) == 7",
                           "F(x) && !F(y)",
                           "defined(A) + defined(B) == 1",
                           "A & 4",
                           "A == -1 && A > 5u",
                           "(A ? B : C) && !B",
                           "A == 0xFFFFFFFFFFFFFFFF",
                           "(A == 1) + (B == 1) == 2",
                           "A + 0u > 5 && A + 0u < -1"}) {
    EXPECT_TRUE(Expression(text).CanBeTrue()) << text;
  }
  for (const char* text :
       {"A == 1 && !(A == 1)", "A > 2 && A < 2", "A && !defined(A)", "A == 1 && A == 2",
        "A > 2 && A < 3", "A && !A", "F(x) && !F(x)", "defined(A) + defined(B) == 3",
        "A == B && A != B", "A + B == 3 && A + B > 3", "(A || B) && !A && !B", "(A == 1) > 1",
        "A < B && !(A < B)", "(A && B) == 2", "F(x) == 3 && F(x) == 4"}) {
    EXPECT_FALSE(Expression(text).CanBeTrue()) << text;
  }
}

TEST(ConditionTest, CanBeTrueWithManyMacros) {
  std::string text = "!(A0 == 5 || B)";
  for (int i = 1; i < 12; ++i) text += " && !(A" + std::to_string(i) + " == 5 || B)";
  EXPECT_FALSE(Expression("(B || " + std::string("A0 == 5") + ") && !(B || A0 == 5)").CanBeTrue());
  EXPECT_TRUE(Expression(text).CanBeTrue());
  EXPECT_FALSE(Expression(text + " && B").CanBeTrue());
}

TEST(ConditionTest, SatisfyChangesAsLittleAsPossible) {
  const Defines base = {{"ON", "1"}, {"OFF", "0"}, {"NAME", "ON"}, {"EMPTY", ""}};
  const auto changed = [&](std::string_view text) {
    std::string result;
    const std::optional<Defines> found = Expression(text).Satisfy(base);
    if (!found) return std::string("none");
    if (text.find('(') == std::string_view::npos) {  // no opaque atom
      EXPECT_TRUE(Expression(text).Evaluate(*found)) << text;
    }
    for (const auto& [name, value] : *found) {
      const auto old = base.find(name);
      if (old == base.end() || old->second != value) result += name + "=" + value + " ";
    }
    for (const auto& [name, value] : base) {
      if (found->count(name) == 0) result += "-" + name + " ";
    }
    return result;
  };
  EXPECT_EQ(changed("ON"), "");
  EXPECT_EQ(changed("ON == 1 && OFF == 0 && !NEW"), "");
  EXPECT_EQ(changed("OFF"), "OFF=1 ");
  EXPECT_EQ(changed("!ON"), "ON=0 ");
  EXPECT_EQ(changed("!defined(ON)"), "-ON ");
  EXPECT_EQ(changed("NEW >= 201703L"), "NEW=201703 ");
  EXPECT_EQ(changed("defined(NEW) && !NEW"), "NEW=0 ");
  EXPECT_EQ(changed("OFF == 1 && NEW == 2"), "NEW=2 OFF=1 ");
  EXPECT_EQ(changed("OFF || ON && NEW"), "NEW=1 ");
  EXPECT_EQ(changed("NEW || ON"), "");
  EXPECT_EQ(changed("NAME == 2 && ON == 1"), "NAME=2 ");
  EXPECT_EQ(changed("NAME == 1 && ON == 2"), "NAME=1 ON=2 ");
  EXPECT_EQ(changed("__has_include(<x>) && OFF"), "OFF=1 ");
  EXPECT_EQ(changed("!__has_include(<x>)"), "");
  EXPECT_EQ(changed("__GNUC__ * 100 + __GNUC_MINOR__ >= 408"), "__GNUC__=99 ");
  EXPECT_EQ(changed("ON && !ON"), "none");
  EXPECT_EQ(changed("A == 1 && B == 2 && C == 3 && D == 4 && E == 5 && F == 6 && G == 7 && H == 8"),
            "A=1 B=2 C=3 D=4 E=5 F=6 G=7 H=8 ");
}

TEST(ConditionTest, Macros) {
  const Condition condition = Expression("defined(A) && B == 1 || __has_include(<c.h>) && !D");
  EXPECT_EQ(condition.Macros(), (std::set<std::string>{"A", "B", "D"}));
  EXPECT_TRUE(Condition().Macros().empty());
}

TEST(ConditionTest, EqualWhereTrueInTheSameBuilds) {
  const std::vector<std::pair<std::string, std::string>> equal = {
      {"A && B || A && C", "A && (B || C)"},
      {"A > 1 || A > 2", "A > 1"},
      {"A >= 2 && A <= 2", "A == 2"},
      {"defined(A) && A", "A"},
      {"!defined(A) || !A", "!A"},
      {"defined(A) + defined(B) == 1", "defined(A) != defined(B)"},
      {"A ? B : C", "A && B || !A && C"},
      {"(A ? 2 : 3) == 2", "A"},
      {"A >= 0 && A < 1", "A == 0"},
  };
  for (std::size_t i = 0; i < equal.size(); ++i) {
    EXPECT_EQ(Expression(equal[i].first), Expression(equal[i].second)) << equal[i].first;
    EXPECT_EQ(Expression(equal[i].first).hash(), Expression(equal[i].second).hash());
  }
  EXPECT_NE(Expression("defined(A)"), Expression("A"));
  EXPECT_NE(Expression("A > 1"), Expression("A > 2"));
  EXPECT_TRUE(Expression("A == 3").Implies(Expression("A > 2")));
  EXPECT_TRUE(Expression("A == 3").Implies(Condition::Defined("A")));
  EXPECT_FALSE(Expression("A == 0").Implies(Condition::Defined("A")));
}

// Conditions from a preprocessor's chains, as short as a person would write them.
TEST(ConditionTest, TextIsShort) {
  Condition none;
  Condition third;
  Condition any = Condition::Never();
  for (int i = 0; i < 60; ++i) {
    const Condition way =
        Condition::FromExpression("A" + std::to_string(i / 10) + std::to_string(i % 10));
    const Condition here = none.And(way);
    if (i == 2) third = here;
    any = any.Or(here);
    none = none.And(way.Not());
  }
  EXPECT_EQ(third.text(), "!A00 && !A01 && A02");
  EXPECT_EQ(any.text().substr(0, 24), "A00 || A01 || A02 || A03");
  EXPECT_EQ(any.text().size(), 60 * 3 + 59 * 4);
  EXPECT_EQ(none.text().size(), 60 * 4 + 59 * 4);
  EXPECT_EQ(any.Not(), none);
  EXPECT_EQ(any.And(third), third);
  const Condition a = Expression("A");
  const Condition b = Expression("B");
  const Condition c = Expression("C >= 300");
  EXPECT_EQ(a.And(b).Or(a.And(c)).text(), "A && (B || C >= 300)");
  EXPECT_EQ(a.And(b.Not()).Or(b).text(), "A || B");
  EXPECT_EQ(a.And(b).Not().text(), "!A || !B");
  EXPECT_EQ(Expression("C >= 200").And(c.Not()).text(), "C < 300 && C >= 200");
  EXPECT_EQ(Expression("(A || B) && (D || E)").text(), "(A || B) && (D || E)");
}

// Comparisons and their constants stay as in the source, even if others are a byte shorter.
TEST(ConditionTest, TextIsThatOfTheSource) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"defined(A) && A", "A"},
      {"defined(A) && A <= 1800", "A <= 1800 && defined(A)"},
      {"defined(A) && A > 530", "A > 530"},
      {"A < 8 || (A == 8 && B < 5)", "A < 8 || A == 8 && B < 5"},
      {"A == 7 || A == 8", "A == 7 || A == 8"},
      {"A == 0", "A == 0"},
      {"A && (B || !A && C)", "A && B"},
  };
  for (const auto& [expression, text] : cases) EXPECT_EQ(Expression(expression).text(), text);
  const Condition inner = Expression("defined(A) && A < 300").Not();
  EXPECT_EQ(Expression("B").And(inner).text(), "!(A < 300 && defined(A)) && B");
}

TEST(ConditionTest, LargeConditionsAreVariablesThatConfigurationsDecide) {
  // Pairs of names that are far apart in the diagram's order.
  Condition condition;
  Configuration all;
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    condition = condition.And(Expression("A" + number + " == 1").Or(Expression("B" + number)));
    all.defines["A" + number] = "1";
  }
  EXPECT_TRUE(condition.CanBeTrue());
  EXPECT_FALSE(condition.And(condition.Not()).CanBeTrue());
  EXPECT_EQ(Expression(condition.text()).text(), condition.text());
  EXPECT_FALSE(condition.IsTooComplex());
  EXPECT_EQ(condition.AnswerIn(all, "a.cc"), ConditionAnswer::kTrue);
  EXPECT_TRUE(condition.Evaluate(all.defines));
  all.defines.erase("A7");
  EXPECT_EQ(condition.AnswerIn(all, "a.cc"), ConditionAnswer::kOpen);
  all.undefined = {"A7", "B7"};
  EXPECT_EQ(condition.AnswerIn(all, "a.cc"), ConditionAnswer::kFalse);
}

TEST(ConditionTest, ValuesOfMacros) {
  const Condition fast = Condition::HasValue("DEVICE", "fast");
  EXPECT_EQ(fast.text(), "is(DEVICE,fast)");
  EXPECT_EQ(Expression(fast.text()), fast);
  EXPECT_EQ(Condition::HasValue("LEVEL", "3").text(), "LEVEL == 3");
  Configuration configuration;
  EXPECT_EQ(fast.AnswerIn(configuration, "a.cc"), ConditionAnswer::kOpen);
  EXPECT_EQ(fast.OpenIn(configuration, "a.cc"), std::set<std::string>{"DEVICE"});
  configuration.defines["DEVICE"] = " fast";
  EXPECT_EQ(fast.AnswerIn(configuration, "a.cc"), ConditionAnswer::kTrue);
  configuration.defines["DEVICE"] = "slow";
  EXPECT_EQ(fast.AnswerIn(configuration, "a.cc"), ConditionAnswer::kFalse);
  EXPECT_EQ(fast.Satisfy({}).value_or(Defines()), (Defines{{"DEVICE", "fast"}}));
  const Condition zero = Condition::HasValue("DEVICE", "0").And(fast.Not());
  EXPECT_EQ(zero.Satisfy({{"DEVICE", "fast"}}).value_or(Defines()), (Defines{{"DEVICE", "0"}}));
}

}  // namespace
}  // namespace opledger
