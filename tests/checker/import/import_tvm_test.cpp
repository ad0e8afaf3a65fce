// TVM's own lists, imported, against the lists that Python itself reads from them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "checker/import/import.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

TEST(ImportTvmTest, EqualsGold) {
  const char* chosen = std::getenv("OPLEDGER_TEST_DATA");
  const fs::path data = chosen != nullptr ? chosen : OPLEDGER_SOURCE_DIR "/../shared";
  const fs::path archive = data / "data/source/tvm-v0.18.0.tar.xz";
  const fs::path gold_path = data / "gold/tvm-relay-precision.json";
  if (!fs::exists(archive) || !fs::exists(gold_path)) {
    GTEST_SKIP() << "no data/source/tvm-v0.18.0.tar.xz or gold/tvm-relay-precision.json";
  }
  const std::string source =
      (fs::temp_directory_path() / ("mixed_precision-" + std::to_string(getpid()) + ".py"))
          .string();
  const std::string command = "tar -xJf '" + archive.string() + "' -O --wildcards " +
                              "'*/relay/transform/mixed_precision.py' > '" + source + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ImportOptions options;
  options.file = source;
  options.target_dtype = "float16";
  Diagnostics diagnostics;
  std::string text;
  EXPECT_EQ(RunImport(options, text, diagnostics), 0);
  fs::remove(source);
  EXPECT_EQ(RenderDiagnostics(diagnostics), "");
  const auto list = ParsePrecisionList("tvm.json", text, diagnostics);
  const auto gold = ReadJson(gold_path.string(), diagnostics);
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
