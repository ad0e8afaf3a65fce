// Compares the converter's shapes (conversion/model/operators/shapes.h) with the types that
// bindings and kernels infer: where both are known, on ONNX's node tests and its small networks,
// they are equal.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/operators/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "conversion/model/onnx/wire.h"
#include "kernels/bindings/onnx/onnx.h"
#include "kernels/control_flow/control_flow.h"
#include "kernels/model/staged_plan.h"
#include "tests/test_data.h"

namespace opledger {
namespace {

constexpr std::int64_t kMaxKnownIntegers = 64;  // as in ShapeInference

// Reads the tensor of a .pb file as the initializer of a model. Returns nullopt if it is of another
// kind.
std::optional<ConstantTensor> ReadTensor(const std::filesystem::path& path) {
  constexpr std::uint32_t kGraph = 7;
  constexpr std::uint32_t kInitializer = 5;
  Diagnostics diagnostics;
  const auto file = SourceFile::Open(path.string(), diagnostics);
  if (!file || file->bytes().empty()) return std::nullopt;
  std::string graph;
  AppendBytesField(graph, kInitializer, file->bytes());
  std::string text;
  AppendBytesField(text, kGraph, graph);
  const auto model = ReadOnnx(SourceFile::FromText(path.string(), text), diagnostics);
  if (!model || model->graph.tensors.empty()) return std::nullopt;
  auto loaded = BindOnnx(*model).load(0);
  if (!loaded) return std::nullopt;
  return std::move(*loaded);
}

// Infers shapes by the rules alone, ignoring the file's declarations of computed values.
std::optional<Shapes> ShapesByRules(const OnnxModel& model, const ModelInputs& inputs) {
  Diagnostics diagnostics;
  auto shapes = InferShapes(model, {}, diagnostics);
  if (!shapes) return std::nullopt;
  for (std::size_t id = 0; id < model.graph.values.size(); ++id) {
    const Value& value = model.graph.values[id];
    if (value.producer != kNone && model.graph.nodes[value.producer].op != "Constant") {
      shapes->values[id].reset();
      shapes->integers.erase(static_cast<ValueId>(id));
    }
    const auto input = inputs.tensors.find(std::string(value.name));
    if (value.producer != kNone || value.scope != 0 || input == inputs.tensors.end()) continue;
    const TensorType& type = input->second.type;
    shapes->values[id] = type.dimensions;
    if (type.dtype != Dtype::kInt64 || Elements(type.dimensions) > kMaxKnownIntegers) continue;
    const auto* numbers = input->second.As<std::int64_t>();
    shapes->integers[static_cast<ValueId>(id)] = {numbers, numbers + Elements(type.dimensions)};
  }
  for (NodeId id = 0; id < static_cast<NodeId>(model.graph.nodes.size()); ++id) {
    ApplyShapeRule(model, id, *shapes);
  }
  return shapes;
}

std::optional<ModelInputs> InputsOf(const OnnxModel& model, const std::filesystem::path& folder) {
  ModelInputs inputs;
  const std::vector<ValueId> required = RequiredInputs(model.graph);
  for (std::size_t i = 0; i < required.size(); ++i) {
    auto tensor = ReadTensor(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
    if (!tensor) return std::nullopt;
    inputs.tensors[std::string(model.graph.values[required[i]].name)] = std::move(*tensor);
  }
  return inputs;
}

// Adds the operators whose shapes both sides know, and those whose shapes only the kernels know.
void CompareShapes(const std::filesystem::path& folder, std::set<std::string>& compared,
                   std::set<std::string>& typed) {
  Diagnostics diagnostics;
  const auto model = OpenToRun((folder / "model.onnx").string(), diagnostics);
  if (!model) return;
  const auto inputs = InputsOf(*model, folder);
  if (!inputs) return;
  Binding binding = BindOnnx(*model);
  binding.prepare_control_flow = &PrepareControlFlow;
  PlanRequest request{&model->graph, &binding, {}, {.reference_only = true}};
  inputs->Describe(request);
  Status problem;
  const auto plan = MakeStagedPlan(request, *inputs, problem);
  const auto shapes = ShapesByRules(*model, *inputs);
  if (!plan || !shapes) return;
  for (std::size_t id = 0; id < model->graph.values.size(); ++id) {
    const Value& value = model->graph.values[id];
    const auto& shape = shapes->values[id];
    const auto& type = plan->slots[id].type;
    if (value.producer == kNone || value.scope != 0 || !type) continue;
    const std::string op(model->graph.nodes[value.producer].op);
    typed.insert(op);
    if (!shape) continue;
    compared.insert(op);
    EXPECT_EQ(*shape, type->dimensions) << folder.filename() << ": " << value.name << ", " << op;
  }
}

TEST(Shapes, AreThoseOfTheKernels) {
  const std::filesystem::path models = TestData("models onnx");
  if (models.empty()) GTEST_SKIP() << "missing: models of onnx; ci/test-data gets what is missing";
  std::set<std::string> compared;
  std::set<std::string> typed;
  std::vector<std::filesystem::path> folders;
  for (const char* kind : {"node", "simple", "pytorch-operator"}) {
    if (!std::filesystem::is_directory(models / kind)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(models / kind)) {
      if (std::filesystem::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  for (const auto& folder : folders) CompareShapes(folder, compared, typed);
  EXPECT_GE(compared.size(), typed.size() * 6 / 10) << "of " << typed.size() << " operators";
}

}  // namespace
}  // namespace opledger
