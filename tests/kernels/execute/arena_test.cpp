// Planning uses no memory that a run does not need: pages of the arena are allocated when they are
// written.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/execute/execute.h"
#include "kernels/machine/peak_memory.h"

namespace opledger {
namespace {

constexpr std::int64_t kNumbers = std::int64_t{32} << 20;  // 128 MiB of float32

// y = -x.
struct NegatingGraph {
  NegatingGraph() {
    graph.scopes.resize(1);
    graph.values.resize(2);
    graph.values[0].name = "x";
    graph.values[1].name = "y";
    graph.values[1].producer = 0;
    graph.scopes[0].inputs = {0};
    graph.scopes[0].outputs = {1};
    graph.nodes.resize(1);
    graph.nodes[0] = {"Neg", {}, {}, "negate", 0, {0}, {1}, {}};
    binding.bind = [](const NodeInputs&) {
      LoweredNode call;
      call.kernel = "Neg";
      call.inputs = {0};
      return call;
    };
    binding.load = [](TensorId) { return "there are no tensors"; };
  }

  Graph graph;
  Binding binding;
};

TEST(Arena, IsNotWrittenWhileAModelIsPlanned) {
  NegatingGraph model;
  PlanRequest request{&model.graph, &model.binding, {}, {}, nullptr, {}};
  request.inputs = {{"x", {Dtype::kFloat32, {kNumbers}}}};
  const auto before = BeginPeakMemory();
  if (!before) GTEST_SKIP() << "the memory of the process is unknown";
  Status problem;
  auto plan = MakeExecutionPlan(request, problem);
  ASSERT_TRUE(plan) << problem.message;
  const std::size_t arena = plan->arena;
  ASSERT_GE(arena, static_cast<std::size_t>(kNumbers) * sizeof(float));
  const Executor executor(std::move(*plan));
  EXPECT_LT(*PeakMemory(), *before + arena / 4);
}

TEST(Arena, IsOfAlignedZeros) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{1} << 20}) {
    for (int again = 0; again < 3; ++again) {  // freed memory may be used again
      const AlignedBytes memory = AllocateAligned(bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % kTensorAlignment, 0U);
      for (std::size_t i = 0; i < bytes; ++i) {
        ASSERT_EQ(memory[i], std::byte{0});
        memory[i] = std::byte{1};
      }
    }
  }
}

}  // namespace
}  // namespace opledger
