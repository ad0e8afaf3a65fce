// A run allocates no memory of its own: whole networks of the test data, with fast and reference
// kernels. Libraries' own calls of malloc do not count.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <set>
#include <string>

#include "kernels/execute/execute.h"
#include "kernels/model/model.h"
#include "tests/test_data.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// As AllocateAligned requests large memory.
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

namespace opledger {
namespace {

namespace fs = std::filesystem;

// Returns whether the model runs here at all. `allocating`: kernels that allocated in a second run,
// except for libraries' kernels.
bool CountIn(const std::string& path, bool reference, std::set<std::string>& allocating) {
  Diagnostics diagnostics;
  const InputOptions random = {{}, {}, true};
  auto model = OpenRunnable(path, {}, random, diagnostics);
  if (!model) return false;
  const Binding binding = Bind(*model);
  const auto inputs = TakeInputs(*model, random, diagnostics);
  if (!inputs) return false;
  PlanRequest request{&model->graph(), &binding, {}, {reference}, nullptr, {}};
  inputs->Describe(request);
  Status problem;
  auto plan = MakeExecutionPlan(request, problem);
  if (!plan) return false;
  Executor executor(std::move(*plan));
  const auto data = inputs->For(executor.plan(), model->graph());
  std::vector<std::size_t> counts;
  counts.reserve(executor.plan().steps.size() + 1);
  const Executor::Done done = [&](const PlannedStep&) { counts.push_back(allocations); };
  executor.Run(data, done);
  counts.clear();
  counts.push_back(allocations);
  executor.Run(data, done);
  for (std::size_t i = 0; i < executor.plan().steps.size(); ++i) {
    const KernelEntry& kernel = *executor.plan().steps[i].kernel;
    if (counts[i + 1] != counts[i] && kernel.implementation() < Implementation::kOneDnn) {
      allocating.emplace(kernel.name());
    }
  }
  return true;
}

TEST(Executor, AllocatesNothingInARun) {
  const fs::path data = TestData("models onnx");
  if (data.empty()) GTEST_SKIP() << "missing: models of onnx; ci/test-data gets what is missing";
  std::size_t models = 0;
  std::set<std::string> allocating;
  for (const char* folder : {"gen", "simple", "pytorch-operator", "pytorch-converted", "light"}) {
    for (const auto& entry : fs::recursive_directory_iterator(data / folder)) {
      if (entry.path().extension() != ".onnx") continue;
      const bool light = std::string_view(folder) == "light";
      if (light && entry.path().stem() != "light_squeezenet") continue;  // others are too slow
      for (const bool reference : {false, true}) {
        if (reference && light) continue;
        if (CountIn(entry.path().string(), reference, allocating)) ++models;
      }
    }
  }
  EXPECT_EQ(allocating, std::set<std::string>());
  EXPECT_GT(models, 0U);
}

}  // namespace
}  // namespace opledger
