// The type of every value of every model of the test data is inferred, and agrees with the model's
// declarations, except in models that onnx's checker or ONNX Runtime refuses.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/onnx.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Returns paths of the models that onnx's checker or ONNX Runtime refuses; empty without these
// packages.
std::set<std::string> ModelsThatPeersRefuse() {
  std::istringstream lines(SaidOfModels("refused"));
  std::set<std::string> refused;
  for (std::string line; std::getline(lines, line);) refused.insert(line);
  return refused;
}

TEST(OnnxTypesTest, FollowInEveryModel) {
  const fs::path data = TestData("models onnx");
  if (data.empty()) GTEST_SKIP() << "missing: models of onnx; ci/test-data gets what is missing";
  Diagnostics diagnostics;
  auto signatures = Signatures::Load("onnx", diagnostics);
  ASSERT_TRUE(signatures) << RenderDiagnostics(diagnostics);
  const std::set<std::string> refused = ModelsThatPeersRefuse();
  std::size_t models = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    auto file = SourceFile::Open(path, diagnostics);
    ASSERT_TRUE(file) << RenderDiagnostics(diagnostics);
    auto model = ReadOnnx(std::move(*file), diagnostics);
    ASSERT_TRUE(model) << RenderDiagnostics(diagnostics);
    if (!model->problems.empty()) {
      EXPECT_TRUE(refused.contains(path)) << path << ": refused only by opledger";
      continue;
    }
    ++models;
    const Typing typing = InferTypes(model->graph, *signatures);
    for (const TypeProblem& problem : typing.problems) {
      EXPECT_TRUE(refused.contains(path))
          << path << ": refused only by opledger: " << NodeText(model->graph, problem.node) << ": "
          << problem.message;
    }
    for (const Value& value : model->graph.values) {
      if (value.type.kind == ValueType::Kind::kUnknown) {
        ADD_FAILURE() << path << ": " << value.name << " of "
                      << (value.producer == kNone ? "nobody"
                                                  : NodeText(model->graph, value.producer));
      }
    }
  }
  EXPECT_GT(models, 0u);
}

}  // namespace
}  // namespace opledger
