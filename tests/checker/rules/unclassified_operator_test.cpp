// unclassified-operator: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(UnclassifiedOperator, FiresWithoutAnEntry) {
  EXPECT_EQ(Check(MakeManifest({"exp", "log"}), {MakeList(R"("fp32": ["log"])")}),
            "unclassified-operator exp\n");
}

TEST(UnclassifiedOperator, FiresInEachListThatLacksIt) {
  const Manifest manifest = MakeManifest({"exp"});
  PrecisionList other = MakeList(R"("fp32": [])", "b.json");
  other.target_dtype = Dtype::kBfloat16;
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": [])", "a.json"), other}),
            "unclassified-operator exp\nunclassified-operator exp\n");
}

TEST(UnclassifiedOperator, FiresInTheConfigurationWhereItExists) {
  const Manifest manifest = MakeManifest({MakeOperator("exp", "CUDA == 1")});
  const Lists lists = {MakeList(R"("fp32": [])")};
  EXPECT_EQ(Check(manifest, lists, "gpu"), "unclassified-operator exp\n");
  EXPECT_EQ(Check(manifest, lists, "union"), "unclassified-operator exp\n");
  EXPECT_EQ(Check(manifest, lists), "");
  EXPECT_EQ(Check(manifest, {MakeList(R"("configuration": "gpu", "fp32": [])")}),
            "unclassified-operator exp\n");
}

TEST(UnclassifiedOperator, UnknownConfigurationsAreJudgedAsUnion) {
  const Manifest manifest = MakeManifest({MakeOperator("exp", "CUDA == 1")});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": [])")}, "nowhere"), "unclassified-operator exp\n");
}

TEST(UnclassifiedOperator, StandsAtTheFirstSiteOfItsConfiguration) {
  Operator op = MakeOperator("exp", "CUDA == 1");
  op.sites.push_back({{"src/zz.cc", 7, 1, 7, 4}, {}, "REGISTER", {}});
  const std::vector<Finding> findings =
      RunRules({MakeManifest({op}), {MakeList(R"("fp32": [])")}, ""});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].location.path, "src/zz.cc");
}

TEST(UnclassifiedOperator, SilentForClassifiedExemptAndImpossibleOnes) {
  Operator exempt = MakeOperator("exp_backward");
  exempt.exempt = "backward";
  const Manifest manifest = MakeManifest({MakeOperator("exp"), exempt, MakeOperator("never", "0")});
  EXPECT_EQ(Check(manifest, {MakeList(R"("either": ["exp"])")}), "");
}

TEST(UnclassifiedOperator, SilentWhereAnEntryNamesItByAlias) {
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("exp"), "_npi_exp")});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["_npi_exp"])")}), "");
}

TEST(UnclassifiedOperator, SilentWhereABaseHasIt) {
  PrecisionList list = MakeList(R"("fp32": [])");
  list.inherited = MakeList(R"("fp32": ["exp"])", "base.json").entries;
  EXPECT_EQ(Check(MakeManifest({"exp"}), {list}), "");
}

}  // namespace
}  // namespace opledger
