// bad-condition: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

std::string Conditional(const std::string& members) {
  return R"("conditional": [{"op": "act", )" + members + "}]";
}

TEST(BadCondition, FiresForRepeatedAndOverlappingValues) {
  const Manifest manifest = MakeManifest({"act"});
  for (const char* clauses : {
           R"("attribute": "t", "values": ["a", "b", "a"], "then": "fp32")",
           R"("clauses": [{"attribute": "t", "values": ["a"], "then": "fp32"},
                          {"attribute": "t", "values": ["b", "a"], "then": "widest"}])",
           R"("clauses": [{"attribute": "t", "range": [0, 2], "then": "fp32"},
                          {"attribute": "t", "range": [2, null], "then": "widest"}])",
           R"("clauses": [{"attribute": "t", "range": [0, 2], "then": "fp32"},
                          {"attribute": "t", "values": ["1.5"], "then": "widest"}])",
       }) {
    EXPECT_EQ(Check(manifest, {MakeList(Conditional(clauses))}), "bad-condition act\n") << clauses;
  }
}

TEST(BadCondition, FiresForPointlessClauses) {
  const Manifest manifest = MakeManifest({"act"});
  EXPECT_EQ(
      Check(manifest,
            {MakeList(Conditional(R"("attribute": "t", "values": ["a"], "then": "either")"))}),
      "bad-condition act\n");
  EXPECT_EQ(Check(manifest, {MakeList(Conditional(R"("attribute": "t", "values": ["a"],
                                "then": "fp32", "otherwise": "fp32")"))}),
            "bad-condition act\n");
}

TEST(BadCondition, FiresForWhatTheReaderWouldHaveRefused) {
  const Manifest manifest = MakeManifest({"act"});
  PrecisionList list =
      MakeList(Conditional(R"("attribute": "t", "range": [0, 1], "then": "fp32")"));
  Clause& clause = list.entries[0].clauses[0];
  clause.minimum = 5;
  EXPECT_EQ(Check(manifest, {list}), "bad-condition act\n");
  clause.minimum = clause.maximum = std::nullopt;
  EXPECT_EQ(Check(manifest, {list}), "bad-condition act\n");
  clause.is_range = false;
  EXPECT_EQ(Check(manifest, {list}), "bad-condition act\n");
  list.entries[0].clauses.clear();
  EXPECT_EQ(Check(manifest, {list}), "bad-condition act\n");
}

TEST(BadCondition, FiresForUnknownAttributesAndValues) {
  const Manifest manifest =
      MakeManifest({WithField(MakeOperator("act"), "parameters", "act_type", "relu, elu")});
  EXPECT_EQ(
      Check(manifest,
            {MakeList(Conditional(R"("attribute": "type", "values": ["elu"], "then": "fp32")"))}),
      "bad-condition act\n");
  EXPECT_EQ(
      Check(manifest, {MakeList(Conditional(
                          R"("attribute": "act_type", "values": ["elu2"], "then": "fp32")"))}),
      "bad-condition act\n");
}

TEST(BadCondition, IsOneFindingForManyProblems) {
  const std::vector<Finding> findings =
      RunRules({MakeManifest({"act"}),
                {MakeList(Conditional(R"("attribute": "t", "values": ["a", "a", "b", "b"],
                                "then": "either")"))},
                ""});
  ASSERT_EQ(RuleLines(findings), "bad-condition act\n");
  EXPECT_EQ(findings[0].related.size(), 2U);
}

TEST(BadCondition, SilentForGoodOnes) {
  const Manifest plain = MakeManifest({"act"});
  const Manifest known = MakeManifest(
      {WithField(WithField(MakeOperator("act"), "parameters", "t", "a,b"), "parameters", "x", "")});
  for (const char* clauses : {
           R"("attribute": "t", "values": ["a", "b"], "then": "fp32")",
           R"("attribute": "x", "values": ["anything"], "then": "fp32")",
           R"("clauses": [{"attribute": "t", "values": ["a"], "then": "fp32"},
                          {"attribute": "x", "values": ["a"], "then": "fp32"}])",
           R"("clauses": [{"attribute": "x", "range": [0, 1], "then": "fp32"},
                          {"attribute": "x", "range": [2, null], "then": "either"}])",
       }) {
    EXPECT_EQ(Check(plain, {MakeList(Conditional(clauses))}), "") << clauses;
    EXPECT_EQ(Check(known, {MakeList(Conditional(clauses))}), "") << clauses;
  }
}

TEST(BadCondition, SilentWhereParametersAreOnlyCode) {
  const Manifest manifest =
      MakeManifest({WithField(MakeOperator("act"), "parameters", "", "ActParam::__FIELDS__()")});
  EXPECT_EQ(Check(manifest,
                  {MakeList(Conditional(R"("attribute": "t", "values": ["a"], "then": "fp32")"))}),
            "");
}

}  // namespace
}  // namespace opledger
