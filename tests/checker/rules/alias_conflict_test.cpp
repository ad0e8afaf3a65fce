// alias-conflict: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(AliasConflict, FiresForTwoOwnersAndForPrimaryNames) {
  const Lists lists = {MakeList(R"("fp32": ["exp", "log"])")};
  EXPECT_EQ(Check(MakeManifest(
                      {WithAlias(MakeOperator("exp"), "e"), WithAlias(MakeOperator("log"), "e")}),
                  lists),
            "alias-conflict e\n");
  EXPECT_EQ(
      Check(MakeManifest({WithAlias(MakeOperator("exp"), "log"), MakeOperator("log")}), lists),
      "alias-conflict log\n");
}

TEST(AliasConflict, IsOneFindingForBoth) {
  const std::vector<Finding> findings =
      RunRules({MakeManifest({WithAlias(MakeOperator("a"), "c"), WithAlias(MakeOperator("b"), "c"),
                              MakeOperator("c")}),
                {MakeList(R"("fp32": ["a", "b", "c"])")},
                ""});
  ASSERT_EQ(RuleLines(findings), "alias-conflict c\n");
  EXPECT_EQ(findings[0].message,
            "alias 'c' belongs to 'a' and 'b', and is the name of an operator");
}

TEST(AliasConflict, NotesTheEntriesThatUseIt) {
  const std::vector<Finding> findings = RunRules(
      {MakeManifest({WithAlias(MakeOperator("a"), "x"), WithAlias(MakeOperator("b"), "x")}),
       {MakeList(R"("fp32": ["x", "b"])")},
       ""});
  ASSERT_EQ(RuleLines(findings), "alias-conflict x\n");
  EXPECT_EQ(findings[0].related.back().message, "this entry of list 'float16' counts as 'a'");
}

TEST(AliasConflict, SilentForOwnNamesRepetitionsAndOthersApart) {
  Operator twice = WithAlias(WithAlias(MakeOperator("log"), "ln"), "ln");
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("exp"), "exp"), twice});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp", "log"])")}), "");
}

TEST(AliasConflict, SilentWhereConditionsExclude) {
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("a"), "x", "CUDA == 1"),
                                          WithAlias(MakeOperator("b"), "x", "CUDA != 1")});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["a", "b"])")}), "");
}

TEST(AliasConflict, SilentForAnOwnerThatCannotExist) {
  const Manifest manifest =
      MakeManifest({WithAlias(MakeOperator("a"), "x"), WithAlias(MakeOperator("b", "0"), "x")});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["a"])")}), "");
}

}  // namespace
}  // namespace opledger
