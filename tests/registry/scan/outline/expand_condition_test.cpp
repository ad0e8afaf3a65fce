// Macros in #if expressions, expanded as the standard requires.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/expand_condition.h"

#include <gtest/gtest.h>

#include <deque>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

using State = ExpandedCondition::State;

class ExpandConditionTest : public testing::Test, protected MacrosAtPlace {
 protected:
  // Defines a macro, given as in #define: "F(a, b) a##b".
  void Define(const std::string& text) {
    const std::string line = "#define " + text + "\n";
    outlines_.push_back(MakeOutline(line, Dialect()));
    const MacroDefinition& macro = outlines_.back().macros.at(0);
    meanings_[macro.name] = &macro;
  }
  // Returns the expansion, or the state's number if it is not finished.
  std::string Of(const std::string& expression) {
    auto tokens = LexCondition(expression);
    tokens->pop_back();
    const ExpandedCondition expanded = ExpandCondition(*tokens, meanings_, *this);
    if (expanded.state == State::kNotFollowed) return "not followed";
    const std::string text(Trimmed(expanded.text));
    return (expanded.state == State::kDone ? "" : "wants ") + text;
  }

  bool Changes(const std::string& name) override { return name == changing_; }
  std::vector<MacroState> States(const std::string&, const Condition&) override { return {}; }
  std::set<std::string> TextsOfBuilds(const std::string&) override { return {}; }
  bool HasInclude(const std::string& target) const override { return target == "<there.h>"; }
  int Line() const override { return 7; }

  std::deque<Outline> outlines_;
  MacroMeanings meanings_;
  std::string changing_;
};

TEST_F(ExpandConditionTest, PutsBodiesIn) {
  Define("ONE 1");
  Define("TWO (ONE + ONE)");
  EXPECT_EQ(Of("TWO == X"), "( 1 + 1 ) == X");
}

TEST_F(ExpandConditionTest, KnowsWhatIsDefined) {
  Define("ONE 1");
  EXPECT_EQ(Of("defined(ONE) && defined ONE && defined(X)"), "1 && 1 && defined ( X )");
}

TEST_F(ExpandConditionTest, PutsArgumentsIn) {
  Define("ONE 1");
  Define("F(a, b) ((a) * 100 + (b))");
  EXPECT_EQ(Of("F(ONE, (2, 3))"), "( ( 1 ) * 100 + ( ( 2 , 3 ) ) )");
  EXPECT_EQ(Of("F + ONE"), "0 + 1") << "not called: not a use of the macro";
  EXPECT_EQ(Of("F(F(1, 2), 3)"), "( ( ( ( 1 ) * 100 + ( 2 ) ) ) * 100 + ( 3 ) )");
  EXPECT_EQ(Of("F(1)"), "not followed");
}

TEST_F(ExpandConditionTest, JoinsTokens) {
  Define("ONE 1");
  Define("ON_A ONE");
  Define("CAT(a, b) a##b");
  EXPECT_EQ(Of("CAT(ON_, A)"), "1") << "the joined name is expanded again";
  EXPECT_EQ(Of("CAT(ON, E)"), "1");
  EXPECT_EQ(Of("CAT(1, 2)"), "12");
  EXPECT_EQ(Of("CAT(ON_, ONE)"), "ON_ONE") << "not expanded before";
  EXPECT_EQ(Of("CAT(1, &)"), "not followed");
}

TEST_F(ExpandConditionTest, TakesWhatIsLeftAsVariadic) {
  Define("SECOND(a, b, ...) b");
  Define("ALL(...) __VA_ARGS__");
  Define("TEXT(a) #a");
  EXPECT_EQ(Of("SECOND(1, 2, 3, 4)"), "2");
  EXPECT_EQ(Of("ALL(1 + 2)"), "1 + 2");
  EXPECT_EQ(Of("TEXT(1)"), "not followed");
}

TEST_F(ExpandConditionTest, ExpandsNoMacroInItself) {
  Define("A B + 1");
  Define("B A + 2");
  Define("F(x) F(x + 1)");
  EXPECT_EQ(Of("A"), "A + 2 + 1");
  EXPECT_EQ(Of("F(0)"), "F ( 0 + 1 )");
}

TEST_F(ExpandConditionTest, AsksForWhatMayChange) {
  changing_ = "X";
  Define("F(a) a + Y");
  EXPECT_EQ(Of("F(X)"), "wants X");
  Define("X 3");
  EXPECT_EQ(Of("F(X)"), "3 + Y");
}

TEST_F(ExpandConditionTest, KnowsLineAndHeaders) {
  EXPECT_EQ(Of("__has_include(<there.h>) + __has_include(<gone.h>)"),
            "1 + __has_include ( < gone . h > )");
  EXPECT_EQ(Of("__LINE__ > 3"), "7 > 3");
}

}  // namespace
}  // namespace opledger::scan
