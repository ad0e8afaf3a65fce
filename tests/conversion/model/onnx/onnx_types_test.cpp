// The types of every value of every model of the test data follow, and agree with what the models
// declare.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/onnx.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

TEST(OnnxTypesTest, FollowInEveryModel) {
  const fs::path data = TestData("models onnx");
  if (data.empty()) GTEST_SKIP() << "missing: models of onnx; ci/test-data gets what is missing";
  Diagnostics diagnostics;
  auto signatures = Signatures::Load("onnx", diagnostics);
  ASSERT_TRUE(signatures) << RenderDiagnostics(diagnostics);
  std::size_t known = 0;
  std::vector<std::string> problems;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    auto file = SourceFile::Open(path, diagnostics);
    ASSERT_TRUE(file) << RenderDiagnostics(diagnostics);
    auto model = ReadOnnx(std::move(*file), diagnostics);
    ASSERT_TRUE(model) << RenderDiagnostics(diagnostics);
    // An input that is given twice: ONNX Runtime refuses this model, too.
    const bool invalid = entry.path().filename() == "polygraphy_bad_graph_with_dup_value_info.onnx";
    EXPECT_EQ(!model->problems.empty(), invalid) << path;
    if (invalid) continue;
    const Typing typing = InferTypes(model->graph, *signatures);
    for (const TypeProblem& problem : typing.problems) {
      problems.push_back(entry.path().filename().string() + ": " +
                         NodeText(model->graph, problem.node) + ": " + problem.message);
    }
    for (const Value& value : model->graph.values) {
      const bool unknown = value.type.kind == ValueType::Kind::kUnknown;
      known += !unknown;
      if (unknown) {
        ADD_FAILURE() << path << ": " << value.name << " of "
                      << (value.producer == kNone ? "nobody"
                                                  : NodeText(model->graph, value.producer));
      }
    }
  }
  EXPECT_EQ(known, AreMade(data) ? 10063u : 10443u);
  // ONNX Runtime refuses this model too.
  const std::string invalid =
      AreMade(data) ? "two_types.onnx: Add 'y'" : "polygraphy_capability.onnx: Add 'Add2'";
  EXPECT_EQ(problems, std::vector<std::string>{invalid + ": input 1 (B) is tensor(float32), "
                                                         "input 0 (A) is tensor(float64)"});
}

}  // namespace
}  // namespace opledger
