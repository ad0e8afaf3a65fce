// A contraction also computes a function that is its only reader: one step, with the bits of both
// in float32 and one rounding at the end.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/execute/execute.h"

namespace opledger {
namespace {

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kInner = 24;
constexpr std::int64_t kColumns = 33;

// y = function(MatMul(x, w)), where w is a constant.
struct ProductThenFunction {
  explicit ProductThenFunction(std::string function, Dtype dtype, double alpha = 0) {
    graph.scopes.resize(1);
    graph.values.resize(4);
    const char* names[] = {"x", "w", "product", "y"};
    for (std::size_t i = 0; i < graph.values.size(); ++i) graph.values[i].name = names[i];
    graph.values[1].tensor = 0;
    graph.scopes[0].inputs = {0};
    graph.scopes[0].outputs = {3};
    graph.nodes.resize(2);
    graph.nodes[0] = {"MatMul", {}, {}, "product", 0, {0, 1}, {2}, {}};
    graph.nodes[1] = {"Function", {}, {}, "function", 0, {2}, {3}, {}};
    graph.values[2].producer = 0;
    graph.values[3].producer = 1;
    binding.bind = [function = std::move(function), alpha](const NodeInputs& inputs) {
      LoweredNode call;
      call.kernel = inputs.node == 0 ? "MatMul" : function;
      call.inputs = inputs.node == 0 ? std::vector<int>{0, 1} : std::vector<int>{0};
      if (inputs.node == 1 && alpha != 0) call.parameters.Set("alpha", alpha);
      return call;
    };
    binding.load = [dtype](TensorId) { return Numbers(dtype, {kInner, kColumns}); };
  }

  static ConstantTensor Numbers(Dtype dtype, Dimensions shape) {
    ConstantTensor tensor({dtype, std::move(shape)});
    const std::size_t count = Elements(tensor.type.dimensions);
    std::vector<float> numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 64.0F;
    }
    arithmetic::Downcast(numbers.data(), dtype, static_cast<void*>(tensor.data.get()), count);
    return tensor;
  }

  // Returns the output's bytes in `dtype`, and the number of steps.
  std::pair<std::string, std::size_t> Run(Dtype dtype, bool reference) {
    const ConstantTensor x = Numbers(dtype, {kRows, kInner});
    PlanRequest request{&graph, &binding, {}, {reference}, nullptr, {}};
    request.inputs = {{"x", x.type}};
    Status problem;
    auto plan = MakeExecutionPlan(request, problem);
    EXPECT_TRUE(plan) << problem.message;
    if (!plan) return {};
    const auto steps = static_cast<std::size_t>(
        std::count_if(plan->steps.begin(), plan->steps.end(),
                      [](const PlannedStep& step) { return step.node != kNone; }));
    Executor executor(std::move(*plan));
    executor.Run({x.data.get()});
    const auto* y = static_cast<const char*>(executor.Data(executor.plan().outputs[0]));
    return {std::string(y, kRows * kColumns * ElementSize(dtype)), steps};
  }

  Graph graph;
  Binding binding;
};

std::string Rounded(const std::string& float32, Dtype dtype) {
  const std::size_t count = float32.size() / sizeof(float);
  std::vector<float> numbers(count);
  std::memcpy(numbers.data(), float32.data(), float32.size());
  std::string rounded(count * ElementSize(dtype), '\0');
  arithmetic::Downcast(numbers.data(), dtype, rounded.data(), count);
  return rounded;
}

TEST(Fusion, TakesEveryActivation) {
  for (const char* name : {"Relu", "Silu", "Elu", "Softplus", "HardSigmoid", "Mish"}) {
    ProductThenFunction float32(name, Dtype::kFloat32);
    const auto [plain, two] = float32.Run(Dtype::kFloat32, true);
    EXPECT_EQ(two, 2U);
    for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16}) {
      // The elements are exact in both types, so that float32 yields the result rounded once.
      ProductThenFunction model(name, dtype);
      const auto [fused, steps] = model.Run(dtype, false);
      EXPECT_EQ(steps, 1U) << name;
      EXPECT_TRUE(fused == Rounded(plain, dtype)) << name << " in " << DtypeName(dtype);
    }
  }
}

TEST(Fusion, KeepsParameters) {
  ProductThenFunction model("Silu", Dtype::kFloat16, 1.5);
  ProductThenFunction other("Silu", Dtype::kFloat16);
  const auto [with, steps] = model.Run(Dtype::kFloat16, false);
  EXPECT_EQ(steps, 1U);
  EXPECT_NE(with, other.Run(Dtype::kFloat16, false).first);
}

}  // namespace
}  // namespace opledger
