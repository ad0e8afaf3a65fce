// incomplete-scan: cases in which it must fire, and cases in which it must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

TEST(IncompleteScan, FiresForEachPlaceOnce) {
  Manifest manifest = MakeManifest({"exp"});
  manifest.incomplete = {{{"src/a.cc", 1, 1, 1, 5}, "registration", "no constant name"},
                         {{"src/a.cc", 1, 1, 1, 5}, "registration", "no constant name"},
                         {{"src/b.cc", 0, 0, 0, 0}, "worker", "killed"},
                         {{}, "", ""}};
  const Lists lists = {MakeList(R"("fp32": ["exp"])")};
  EXPECT_EQ(Check(manifest, lists), "incomplete-scan \nincomplete-scan \nincomplete-scan \n");
}

TEST(IncompleteScan, FingerprintsDiffer) {
  Manifest manifest = MakeManifest({"exp"});
  manifest.incomplete = {{{"src/a.cc", 1, 1, 1, 5}, "registration", "one"},
                         {{"src/a.cc", 2, 1, 2, 5}, "registration", "two"}};
  const std::vector<Finding> findings = RunRules({manifest, {MakeList(R"("fp32": ["exp"])")}, ""});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_NE(findings[0].Fingerprint(), findings[1].Fingerprint());
}

TEST(IncompleteScan, SilentForACompleteScan) {
  Manifest manifest = MakeManifest({"exp"});
  manifest.dynamic = {{{"src/a.cc", 1, 1, 1, 5}, "name", "known and meant"}};
  EXPECT_EQ(Check(manifest, {MakeList(R"("fp32": ["exp"])")}), "");
}

}  // namespace
}  // namespace opledger
