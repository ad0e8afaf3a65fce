// Every ONNX model of the test data is read, and written with the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"
#include "registry/files/files.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

TEST(OnnxIdentityTest, KeepsTheBytes) {
  const fs::path data = TestData("models onnx");
  if (data.empty()) GTEST_SKIP() << "missing: models of onnx; ci/test-data gets what is missing";
  const fs::path out = fs::temp_directory_path() / "opledger-identity.onnx";
  int models = 0;
  std::size_t nodes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    Diagnostics diagnostics;
    auto file = SourceFile::Open(path, diagnostics);
    ASSERT_TRUE(file) << RenderDiagnostics(diagnostics);
    const std::string bytes(file->bytes());
    auto model = ReadOnnx(std::move(*file), diagnostics);
    ASSERT_TRUE(model) << RenderDiagnostics(diagnostics);
    EditList none;
    ASSERT_TRUE(WriteEdited(model->file, none, out.string(), diagnostics));
    EXPECT_EQ(ReadFile(out.string(), bytes.size() + 1, diagnostics), bytes) << path;
    nodes += model->graph.nodes.size();
    ++models;
  }
  fs::remove(out);
  EXPECT_GT(models, 0);
  const std::string counted =
      SaidOfModels("nodes");  // counted by the onnx package, in all graphs and functions
  if (!counted.empty()) {
    EXPECT_EQ(nodes, std::stoul(counted));
  }
}

}  // namespace
}  // namespace opledger
