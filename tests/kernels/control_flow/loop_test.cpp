// Plans and buffers of loops: one plan for each shape, two buffers for each state, and no copy of
// values that are only passed through.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/control_flow/control_flow.h"
#include "kernels/execute/execute.h"

namespace opledger {
namespace {

constexpr std::int64_t kSteps = 7;

// for _ in 0..7: a, b = b, a, with a of 2 elements and b of 3, by one Identity each.
struct SwappingLoop {
  SwappingLoop() {
    graph.scopes.resize(2);
    graph.values.resize(9);
    const char* names[] = {"trips", "a", "b", "step", "goes", "in a", "in b", "out a", "out b"};
    for (std::size_t i = 0; i < graph.values.size(); ++i) graph.values[i].name = names[i];
    graph.values.resize(11);  // outputs of the loop
    for (const ValueId each : {3, 4, 5, 6, 7, 8}) graph.values[each].scope = 1;
    graph.scopes[0].inputs = {0, 1, 2};
    graph.scopes[0].outputs = {9, 10};
    graph.scopes[1].inputs = {3, 4, 5, 6};
    graph.scopes[1].outputs = {4, 7, 8};
    graph.nodes.resize(3);
    graph.nodes[0] = {"Loop", {}, {}, "loop", 0, {0, kNone, 1, 2}, {9, 10}, {}};
    graph.nodes[1] = {"Identity", {}, {}, "to a", 1, {6}, {7}, {}};
    graph.nodes[2] = {"Identity", {}, {}, "to b", 1, {5}, {8}, {}};
    for (const NodeId node : {0, 1, 2}) {
      for (const ValueId output : graph.nodes[node].outputs) graph.values[output].producer = node;
    }
    binding.bind = [this](const NodeInputs&) {
      ++bound;
      LoweredNode call;
      call.kernel = "Neg";  // an Identity would not be a step
      call.inputs = {0};
      return call;
    };
    binding.load = [](TensorId) { return Status("there is none"); };
    binding.prepare_control_flow = &PrepareControlFlow;
    binding.control_flow = [](NodeId node) -> std::optional<ControlFlow> {
      if (node != 0) return std::nullopt;
      ControlFlow flow;
      flow.kind = ControlFlow::Kind::kLoop;
      flow.trips = 0;
      flow.condition_output = 0;
      flow.carried = {{2, 1}, {3, 2}};
      flow.results = {{false, 0}, {false, 1}};
      using From = InnerInput::From;
      flow.graphs.push_back({1,
                             {{3, From::kIteration, 0},
                              {4, From::kCondition, 0},
                              {5, From::kCarried, 0},
                              {6, From::kCarried, 1}}});
      return flow;
    };
  }

  Graph graph;
  Binding binding;
  int bound = 0;
};

TEST(Loops, ArePlannedOnceForEachShape) {
  SwappingLoop loop;
  PlanRequest request{&loop.graph, &loop.binding, {}, {}, nullptr, {}};
  request.inputs = {
      {"trips", {Dtype::kInt64, {}}}, {"a", {Dtype::kFloat32, {2}}}, {"b", {Dtype::kFloat32, {3}}}};
  ConstantTensor trips({Dtype::kInt64, {}});
  *trips.As<std::int64_t>() = kSteps;
  request.constants["trips"] = trips;
  Status problem;
  auto plan = MakeExecutionPlan(request, problem);
  ASSERT_TRUE(plan) << problem.message;
  // Two nodes: in one plan that does not apply, since shapes change, and in one each for (2), (3)
  // and (3), (2).
  EXPECT_EQ(loop.bound, 2 * 3);
  Executor executor(std::move(*plan));
  const float a[] = {1, 2};
  const float b[] = {3, 4, 5};
  executor.Run({trips.data.get(), a, b});
  // After an odd number of steps, a is what b was, negated that many times.
  const auto* first = static_cast<const float*>(executor.Data(executor.plan().outputs[0]));
  const auto* second = static_cast<const float*>(executor.Data(executor.plan().outputs[1]));
  EXPECT_EQ(std::vector<float>(first, first + 3), (std::vector<float>{-3, -4, -5}));
  EXPECT_EQ(std::vector<float>(second, second + 2), (std::vector<float>{-1, -2}));
}

TEST(Loops, KeepEachStateTwice) {
  SwappingLoop loop;
  constexpr std::int64_t kNumbers = 4096;
  PlanRequest request{&loop.graph, &loop.binding, {}, {}, nullptr, {}};
  const TensorType state{Dtype::kFloat32, {kNumbers}};
  request.inputs = {{"trips", {Dtype::kInt64, {}}}, {"a", state}, {"b", state}};
  Status problem;
  auto plan = MakeExecutionPlan(request, problem);
  ASSERT_TRUE(plan) << problem.message;
  EXPECT_EQ(loop.bound, 2);
  // Two states: input buffers, output buffers, and the final outputs of the loop.
  EXPECT_LT(plan->arena, 2 * 3 * Bytes(state) + 1024);
  Executor executor(std::move(*plan));
  const std::int64_t trips = kSteps;
  const std::vector<float> a(kNumbers, 1), b(kNumbers, 2);
  for (int run = 0; run < 2; ++run) {
    executor.Run({&trips, a.data(), b.data()});
    const auto* first = static_cast<const float*>(executor.Data(executor.plan().outputs[0]));
    const auto* second = static_cast<const float*>(executor.Data(executor.plan().outputs[1]));
    EXPECT_EQ(std::vector<float>(first, first + kNumbers), std::vector<float>(kNumbers, -2));
    EXPECT_EQ(std::vector<float>(second, second + kNumbers), std::vector<float>(kNumbers, -1));
  }
}

TEST(Loops, TakeWhatStaysUnchangedFromOutside) {
  SwappingLoop loop;
  const auto captured = [&](ValueId last_a, ValueId last_b) {
    loop.graph.scopes[1].outputs = {4, last_a, last_b};
    ControlFlow flow = *loop.binding.control_flow(0);
    CaptureUnchanged(
        loop.graph, "Identity", [](NodeId) { return std::nullopt; }, flow);
    return flow;
  };
  const ControlFlow swaps = captured(7, 8);
  EXPECT_EQ(swaps.carried.size(), 2U);
  EXPECT_EQ(swaps.results[0].input, -1);
  // The step of b yields a, and b stays b.
  const ControlFlow stays = captured(8, 6);
  EXPECT_TRUE(stays.carried.empty());
  EXPECT_EQ(stays.results[0].input, 2);
  EXPECT_EQ(stays.results[1].input, 3);
  for (const std::size_t input : {2, 3}) {
    EXPECT_EQ(stays.graphs[0].inputs[input].from, InnerInput::From::kOuter);
    EXPECT_EQ(stays.graphs[0].inputs[input].index, input);
  }
  // One stays unchanged; the other is now the first that changes.
  const ControlFlow one = captured(8, 8);
  ASSERT_EQ(one.carried.size(), 1U);
  EXPECT_EQ(one.carried[0].input, 3);
  EXPECT_EQ(one.results[0].input, 2);
  EXPECT_EQ(one.results[1].index, 0U);
  EXPECT_EQ(one.graphs[0].inputs[3].from, InnerInput::From::kCarried);
  EXPECT_EQ(one.graphs[0].inputs[3].index, 0U);
}

}  // namespace
}  // namespace opledger
