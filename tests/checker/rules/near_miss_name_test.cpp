// near-miss-name: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(NearMissName, FiresInThePlaceOfBothTwins) {
  const Manifest manifest = MakeManifest({"softmax"});
  for (const char* wrong : {"sofmax", "sfotmax", "softtmax", "SoftMax", "softmax1"}) {
    const std::string list = std::string(R"("fp32": [")") + wrong + "\"]";
    EXPECT_EQ(Check(manifest, {MakeList(list)}), "near-miss-name softmax\n") << wrong;
  }
}

TEST(NearMissName, PairsTheNearest) {
  const Manifest manifest = MakeManifest({"conv1", "conv22"});
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["conv222", "cov1"])")}),
            "near-miss-name conv22\nnear-miss-name conv1\n");
}

TEST(NearMissName, KnowsAliases) {
  const Manifest manifest = MakeManifest({WithAlias(MakeOperator("exp"), "_npi_exponent")});
  const std::vector<Finding> findings =
      RunRules({manifest, {MakeList(R"("fp32": ["_npi_exponnt"])")}, ""});
  ASSERT_EQ(RuleLines(findings), "near-miss-name exp\n");
  EXPECT_EQ(findings[0].suggestions.at(0).edits.at(0).text, "\"_npi_exponent\"");
}

TEST(NearMissName, SilentForDistantShortAndTakenNames) {
  EXPECT_EQ(Check(MakeManifest({"softmax"}), {MakeList(R"("fp32": ["swish"])")}),
            "stale-entry swish\nunclassified-operator softmax\n");
  EXPECT_EQ(Check(MakeManifest({"abs"}), {MakeList(R"("fp32": ["cos"])")}),
            "stale-entry cos\nunclassified-operator abs\n");
  EXPECT_EQ(Check(MakeManifest({"softmax"}), {MakeList(R"("fp32": ["softmax", "sofmax"])")}),
            "stale-entry sofmax\n");
}

TEST(NearMissName, SilentForExemptOperators) {
  Operator exempt = MakeOperator("softmax");
  exempt.exempt = "gradient";
  EXPECT_EQ(Check(MakeManifest({exempt}), {MakeList(R"("fp32": ["sofmax"])")}),
            "stale-entry sofmax\n");
}

}  // namespace
}  // namespace opledger
