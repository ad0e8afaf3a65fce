// duplicate-entry: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(DuplicateEntry, FiresForANameAnObjectAndAnAlias) {
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("exp"), "_npi_exp")});
  for (const char* again : {R"("exp")", R"({"op": "exp"})", R"("_npi_exp")"}) {
    const std::string list = std::string(R"("fp32": ["exp", )") + again + "]";
    EXPECT_EQ(Check(manifest, {MakeList(list)}), "duplicate-entry exp\n") << again;
  }
}

TEST(DuplicateEntry, IsOneFindingForThree) {
  const std::vector<Finding> findings =
      RunRules({MakeManifest({"exp"}), {MakeList(R"("fp32": ["exp", "exp", "exp"])")}, ""});
  ASSERT_EQ(RuleLines(findings), "duplicate-entry exp\n");
  EXPECT_NE(findings[0].message.find("3 times"), std::string::npos);
  EXPECT_EQ(findings[0].suggestions.size(), 2U);
}

TEST(DuplicateEntry, FiresInsideABase) {
  PrecisionList list = MakeList(R"("fp32": [])");
  list.inherited = MakeList(R"("fp32": ["exp", "exp"])", "base.json").entries;
  const std::vector<Finding> findings = RunRules({MakeManifest({"exp"}), {list}, ""});
  ASSERT_EQ(RuleLines(findings), "duplicate-entry exp\n");
  EXPECT_EQ(findings[0].location.path, "base.json");
  EXPECT_TRUE(findings[0].suggestions.empty());
}

TEST(DuplicateEntry, SilentWhereABaseIsOverridden) {
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("exp"), "_npi_exp")});
  PrecisionList list = MakeList(R"("fp32": ["_npi_exp"])");
  list.inherited = MakeList(R"("fp32": ["exp"])", "base.json").entries;
  EXPECT_EQ(Check(manifest, {list}), "");
}

TEST(DuplicateEntry, SilentForSimilarNamesAndOtherLists) {
  const Manifest manifest = MakeManifest({"exp", "exp2"});
  PrecisionList other = MakeList(R"("fp32": ["exp", "exp2"])", "b.json");
  other.device = "cpu";
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp", "exp2"])"), other}), "");
}

}  // namespace
}  // namespace opledger
