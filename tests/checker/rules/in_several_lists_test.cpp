// in-several-lists: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(InSeveralLists, FiresForTwoAndThreePolicies) {
  const Manifest manifest = MakeManifest({"exp"});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp"], "target": ["exp"])")}),
            "in-several-lists exp\n");
  const std::vector<Finding> findings = RunRules(
      {manifest, {MakeList(R"("fp32": ["exp"], "target": ["exp"], "either": ["exp"])")}, ""});
  ASSERT_EQ(RuleLines(findings), "in-several-lists exp\n");
  EXPECT_EQ(findings[0].message,
            "operator 'exp' is listed under 'fp32', 'target' and 'either' in list 'float16'");
}

TEST(InSeveralLists, FiresByAliasWithANote) {
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("exp"), "_npi_exp")});
  const std::vector<Finding> findings =
      RunRules({manifest, {MakeList(R"("fp32": ["exp"], "target": ["_npi_exp"])")}, ""});
  ASSERT_EQ(RuleLines(findings), "in-several-lists exp\n");
  EXPECT_EQ(findings[0].related.back().message, "'_npi_exp' is an alias of 'exp'");
}

TEST(InSeveralLists, ComesWithADuplicateOfItsOwn) {
  EXPECT_EQ(
      Check(MakeManifest({"exp"}), {MakeList(R"("fp32": ["exp", "exp"], "target": ["exp"])")}),
      "duplicate-entry exp\nin-several-lists exp\n");
}

TEST(InSeveralLists, SilentForOtherDtypesBasesAndPolicies) {
  const Manifest manifest = MakeManifest({"exp", "log"});
  PrecisionList other = MakeList(R"("target": ["exp", "log"])", "b.json");
  other.target_dtype = Dtype::kBfloat16;
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp", "log"])"), other}), "");
  PrecisionList derived = MakeList(R"("fp32": ["exp"])");
  derived.inherited = MakeList(R"("target": ["exp", "log"])", "base.json").entries;
  EXPECT_EQ(Check(manifest, {derived}), "");
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp"], "target": ["log"])")}), "");
}

}  // namespace
}  // namespace opledger
