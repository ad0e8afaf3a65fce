// TensorFlow's own lists, imported from its C++ header, against an independent reading of them.
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

struct Device {
  const char* dtype;
  const char* gold;  // the device's key there
  std::size_t size;
};

class ImportTensorflowTest : public testing::TestWithParam<Device> {};

TEST_P(ImportTensorflowTest, EqualsGold) {
  const char* chosen = std::getenv("OPLEDGER_TEST_DATA");
  const fs::path data = chosen != nullptr ? chosen : OPLEDGER_SOURCE_DIR "/../shared";
  const fs::path archive = data / "data/source/tensorflow-2.14.1.tar.xz";
  const fs::path gold_path = data / "gold/tensorflow-precision.json";
  if (!fs::exists(archive) || !fs::exists(gold_path)) {
    GTEST_SKIP() << "no data/source/tensorflow-2.14.1.tar.xz or gold/tensorflow-precision.json";
  }
  if (!fs::exists(fs::read_symlink("/proc/self/exe").parent_path() / "opledger-scan")) {
    GTEST_SKIP() << "opledger-scan was not built";
  }
  const fs::path header =
      fs::temp_directory_path() / ("lists-" + std::to_string(getpid()) + GetParam().dtype + ".h");
  const std::string command = "tar -xJf '" + archive.string() + "' -O --wildcards " +
                              "'*/auto_mixed_precision_lists.h' > '" + header.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ImportOptions options;
  options.file = header.string();
  options.framework = "tensorflow";
  options.target_dtype = GetParam().dtype;
  Diagnostics diagnostics;
  std::string text;
  EXPECT_EQ(RunImport(options, text, diagnostics), 0) << RenderDiagnostics(diagnostics);
  fs::remove(header);
  const auto list = ParsePrecisionList("tensorflow.json", text, diagnostics);
  const auto gold = ReadJson(gold_path.string(), diagnostics);
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
