// stale-entry: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(StaleEntry, FiresForWhatNobodyRegisters) {
  const Manifest manifest = MakeManifest({"exp"});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp", "swish"])")}), "stale-entry swish\n");
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp"], "widest": ["TanhGradRelu"])")}),
            "stale-entry TanhGradRelu\n");
}

TEST(StaleEntry, FiresForWhatNoConfigurationHas) {
  EXPECT_EQ(Check(MakeManifest({MakeOperator("exp"), MakeOperator("swish", "0")}),
                  {MakeList(R"("fp32": ["exp", "swish"])")}),
            "stale-entry swish\n");
}

TEST(StaleEntry, FiresOnceForARepeatedName) {
  EXPECT_EQ(Check(MakeManifest({"exp"}), {MakeList(R"("fp32": ["exp", "swish", "swish"])")}),
            "stale-entry swish\nduplicate-entry swish\n");
}

TEST(StaleEntry, PointsToTheListedOneThatWasMeant) {
  const std::vector<Finding> findings =
      RunRules({MakeManifest({"softmax"}), {MakeList(R"("fp32": ["softmax", "softmaxx"])")}, ""});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].message.find("did you mean 'softmax'?"), std::string::npos);
  ASSERT_EQ(findings[0].related.size(), 1U);
}

TEST(StaleEntry, SilentForOtherConfigurationsAliasesAndExemptOnes) {
  Operator exempt = MakeOperator("exp_backward");
  exempt.exempt = "backward";
  const Manifest manifest = MakeManifest(
      {WithAlias(MakeOperator("exp"), "_npi_exp"), exempt, MakeOperator("fused", "CUDA == 1")});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["_npi_exp", "exp_backward", "fused"])")}), "");
}

TEST(StaleEntry, SilentForInheritedNamesThatExist) {
  PrecisionList list = MakeList(R"("fp32": ["log"])");
  list.inherited = MakeList(R"("fp32": ["exp"])", "base.json").entries;
  EXPECT_EQ(Check(MakeManifest({"exp", "log"}), {list}), "");
}

}  // namespace
}  // namespace opledger
