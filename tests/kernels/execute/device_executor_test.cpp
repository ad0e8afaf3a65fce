// Runs a plan for a device on one that only logs its calls: the order of work on CPU and device,
// captures, and the state after a failure.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "kernels/execute/execute.h"
#include "kernels/plan/device_copies.h"
#include "kernels/plan/passes.h"

namespace opledger {
namespace {

std::string g_log;
bool g_copy_out_fails = false;

void Log(const std::string& word) { g_log += (g_log.empty() ? "" : " ") + word; }

const Device& LoggingDevice() {
  static const Device device = {[](std::size_t bytes, void** memory) -> const char* {
                                  *memory = std::malloc(bytes);
                                  return nullptr;
                                },
                                [](void* memory) -> const char* {
                                  std::free(memory);
                                  return nullptr;
                                },
                                [](const void* host, void* to, std::size_t bytes) -> const char* {
                                  std::memcpy(to, host, bytes);
                                  Log("in");
                                  return nullptr;
                                },
                                [](const void* from, void* host, std::size_t bytes) -> const char* {
                                  if (g_copy_out_fails) return "it burns";
                                  std::memcpy(host, from, bytes);
                                  Log("out");
                                  return nullptr;
                                },
                                []() -> const char* { return nullptr; },
                                []() -> const char* {
                                  Log("[");
                                  return nullptr;
                                },
                                [](void** recording) -> const char* {
                                  Log("]");
                                  *recording = &g_log;
                                  return nullptr;
                                },
                                [](void*) -> const char* {
                                  Log("replay");
                                  return nullptr;
                                },
                                [](void*) -> const char* { return nullptr; }};
  return device;
}

const KernelEntry& On(const std::string& side) {
  static const KernelEntry kCpu("Step", "cpu");
  static const KernelEntry kCuda("Step", "cuda");
  return side == "cpu" ? kCpu : kCuda;
}

// Returns a plan of steps on these sides that each add 1 to the previous result; the first to the
// input.
ExecutionPlan ChainOf(const std::vector<std::string>& sides) {
  const TensorType number = {Dtype::kFloat32, {1}};
  ExecutionPlan plan;
  plan.inputs = {plan.AddSlot()};
  plan.slots[0].place = Slot::Place::kInput;
  plan.slots[0].type = number;
  for (const std::string& side : sides) {
    PlannedStep step;
    step.kernel = &On(side);
    step.inputs = {static_cast<ValueId>(plan.slots.size()) - 1};
    step.outputs = {plan.AddSlot()};
    plan.slots.back().place = Slot::Place::kArena;
    plan.slots.back().type = number;
    step.run = [side](const void* const* inputs, void* const* outputs, void*) {
      Log(side);
      *static_cast<float*>(outputs[0]) = *static_cast<const float*>(inputs[0]) + 1;
    };
    plan.steps.push_back(std::move(step));
  }
  plan.outputs = {static_cast<ValueId>(plan.slots.size()) - 1};
  PutCopies(plan);
  PlaceInArena(plan);
  return plan;
}

// Returns the log of a run, and its result.
std::string LogOf(Executor& executor, float* result = nullptr) {
  g_log.clear();
  const float one = 1;
  executor.Run({&one});
  const void* output = executor.Data(executor.plan().outputs[0]);
  if (result != nullptr) *result = *static_cast<const float*>(output);
  return g_log;
}

TEST(DeviceExecutorTest, CopiesBehindWhatTheCpuComputesAndBeforeWhatItReads) {
  Executor executor(ChainOf({"cuda", "cpu", "cpu", "cuda", "cpu"}), LoggingDevice());
  float result = 0;
  EXPECT_EQ(LogOf(executor, &result), "in cuda out cpu cpu in cuda out cpu");
  EXPECT_EQ(result, 6);
  // At most two tensors live at the same time.
  EXPECT_EQ(executor.plan().arena, 2 * kTensorAlignment);
  EXPECT_EQ(executor.plan().device_arena, 2 * kTensorAlignment);
}

TEST(DeviceExecutorTest, RecordsWhatStandsTogetherOnTheDevice) {
  Executor executor(ChainOf({"cuda", "cuda", "cpu", "cuda", "cuda", "cpu", "cuda"}),
                    LoggingDevice());
  const std::string first = "in cuda cuda out cpu in cuda cuda out cpu in cuda out";
  EXPECT_EQ(LogOf(executor), first);
  EXPECT_EQ(LogOf(executor),
            "in [ cuda cuda ] replay out cpu in [ cuda cuda ] replay out cpu in cuda out");
  EXPECT_EQ(LogOf(executor), "in replay out cpu in replay out cpu in cuda out");
  executor.Run(
      {&g_log}, [](const PlannedStep&) {}, Executor::Looks::kAtTheClock);
  EXPECT_TRUE(executor.status().ok());
}

TEST(DeviceExecutorTest, LeavesTheCpuOutOnceTheDeviceFails) {
  Executor executor(ChainOf({"cuda", "cpu", "cuda"}), LoggingDevice());
  g_copy_out_fails = true;
  const float one = 1;
  g_log.clear();
  executor.Run({&one});
  g_copy_out_fails = false;
  EXPECT_EQ(g_log, "in cuda");
  EXPECT_EQ(executor.status().message, "it burns");
  executor.Run({&one});
  EXPECT_EQ(g_log, "in cuda");
}

TEST(DeviceExecutorTest, WithoutADeviceNothingIsCopied) {
  ExecutionPlan plan = ChainOf({"cpu", "cpu"});
  EXPECT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.device_arena, 0U);
  Executor executor(std::move(plan));
  float result = 0;
  EXPECT_EQ(LogOf(executor, &result), "cpu cpu");
  EXPECT_EQ(result, 3);
}

}  // namespace
}  // namespace opledger
