// Compares the import of TensorFlow's own lists from its C++ header with an independent reading of
// them.
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

struct Device {
  const char* dtype;
  const char* gold;  // the device's key in the gold file
  std::size_t size;
};

class ImportTensorflowTest : public testing::TestWithParam<Device> {};

TEST_P(ImportTensorflowTest, EqualsGold) {
  const fs::path source = TestData("source tensorflow-2.14.1");
  if (source.empty()) {
    GTEST_SKIP() << "missing: tensorflow-2.14.1; ci/test-data gets what is missing";
  }
  if (!fs::exists(fs::read_symlink("/proc/self/exe").parent_path() / "opledger-scan")) {
    GTEST_SKIP() << "opledger-scan was not built";
  }
  ImportOptions options;
  options.file =
      (source / "tensorflow/core/grappler/optimizers/auto_mixed_precision_lists.h").string();
  options.framework = "tensorflow";
  options.target_dtype = GetParam().dtype;
  Diagnostics diagnostics;
  std::string text;
  EXPECT_EQ(RunImport(options, text, diagnostics), 0) << RenderDiagnostics(diagnostics);
  const auto list = ParsePrecisionList("tensorflow.json", text, diagnostics);
  const auto gold = ReadJson(GoldFile("tensorflow-precision").string(), diagnostics);
  ASSERT_TRUE(list && gold) << RenderDiagnostics(diagnostics);
  EXPECT_EQ(list->entries.size(), GetParam().size);
  const JsonValue* device = gold->root.Find(GetParam().gold);
  for (const auto& [name, policy] :
       {std::pair("AllowList", Policy::kTarget), std::pair("InferList", Policy::kWidest),
        std::pair("DenyList", Policy::kFp32), std::pair("ClearList", Policy::kEither)}) {
    std::set<std::string> expected;
    std::set<std::string> found;
    for (const JsonValue& item : device->Find(name)->items) expected.insert(item.string);
    for (const ListEntry& entry : list->entries) {
      if (entry.policy == policy) found.insert(entry.op);
    }
    EXPECT_EQ(found, expected) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ImportTensorflowTest,
                         testing::Values(Device{"float16", "Cuda", 200},
                                         Device{"bfloat16", "Mkl", 174}),
                         [](const auto& info) { return std::string(info.param.dtype); });

}  // namespace
}  // namespace opledger
