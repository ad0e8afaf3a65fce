// Compares the import of TVM's own lists with the lists as Python reads them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "checker/import/import.h"
#include "registry/precision_list/precision_list.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

TEST(ImportTvmTest, EqualsGold) {
  const fs::path source = TestData("source tvm-v0.18.0");
  if (source.empty()) GTEST_SKIP() << "missing: tvm-v0.18.0; ci/test-data gets what is missing";
  ImportOptions options;
  options.file = (source / "python/tvm/relay/transform/mixed_precision.py").string();
  options.target_dtype = "float16";
  Diagnostics diagnostics;
  std::string text;
  EXPECT_EQ(RunImport(options, text, diagnostics), 0);
  EXPECT_EQ(RenderDiagnostics(diagnostics), "");
  const auto list = ParsePrecisionList("tvm.json", text, diagnostics);
  const auto gold = ReadJson(GoldFile("tvm-relay-precision").string(), diagnostics);
  ASSERT_TRUE(list && gold) << RenderDiagnostics(diagnostics);
  EXPECT_EQ(list->framework, "tvm-relay");
  EXPECT_EQ(list->entries.size(), 91u);
  for (const auto& [name, policy] : {std::pair("DEFAULT_ALWAYS_LIST", Policy::kTarget),
                                     std::pair("DEFAULT_FOLLOW_LIST", Policy::kWidest),
                                     std::pair("DEFAULT_NEVER_LIST", Policy::kFp32)}) {
    std::set<std::string> expected;
    std::set<std::string> found;
    for (const JsonValue& item : gold->root.Find(name)->items) expected.insert(item.string);
    for (const ListEntry& entry : list->entries) {
      if (entry.policy == policy) found.insert(entry.op);
    }
    EXPECT_EQ(found, expected) << name;
  }
}

}  // namespace
}  // namespace opledger
