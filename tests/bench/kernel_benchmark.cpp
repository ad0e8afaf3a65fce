// Compares matrix products and convolutions of opledger's executor, with oneDNN and with its own
// kernels, with direct calls of the same oneDNN primitives: CPU time of one thread, the best of
// many interleaved runs, and the ratio of direct to executor time.
//     kernel-benchmark [RUNS]
// Prints a row for each. Bars: 0.95 with oneDNN, 0.7 with the own float32 kernels. Exit status: 0
// all measured, 77 oneDNN is missing.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "kernels/execute/execute.h"
#include "kernels/machine/cpu_time.h"
#include "kernels/machine/machine.h"
#include "kernels/machine/parallel.h"
#include "kernels/onednn/onednn.h"
#include "kernels/plan/passes.h"
#include "kernels/tensor/random_tensor.h"

namespace opledger {
namespace {

struct Work {
  const char* kernel;
  Dimensions source;
  Dimensions weights;
  Integers window;
  double operations;  // multiplications and additions
  std::int64_t groups = 1;
};

// Returns the kernel of the given implementation.
ChosenKernel KernelOf(const char* name, const Call& call, Implementation implementation) {
  ChosenKernel chosen;
  for (const KernelEntry* entry : Kernels().at(name)) {
    if (entry->device() == "cpu" && entry->implementation() == implementation) chosen.entry = entry;
  }
  chosen.prepared = chosen.entry->Serve(call);
  return chosen;
}

// Returns an executor of one step with one input.
Executor ExecutorOf(const Work& work, Dtype dtype, Implementation implementation) {
  ExecutionPlan plan;
  plan.slots.resize(3);
  plan.inputs = {0};
  plan.outputs = {2};
  plan.slots[0].place = Slot::Place::kInput;
  plan.slots[0].type = TensorType{dtype, work.source};
  plan.slots[1].place = Slot::Place::kConstant;
  plan.slots[1].type = TensorType{dtype, work.weights};
  plan.slots[1].constant = RandomTensor(*plan.slots[1].type, 2);
  PlannedStep step;
  step.call.inputs = {plan.slots[0].type, plan.slots[1].type};
  step.call.constants = {nullptr, plan.slots[1].constant.data.get()};
  if (!work.window.empty()) {
    step.call.parameters.Set("kernel", work.window);
    step.call.parameters.Set("begin", Integers(work.window.size(), work.window[0] / 2));
    step.call.parameters.Set("end", Integers(work.window.size(), work.window[0] / 2));
    step.call.parameters.Set("channels_last", std::int64_t{1});
    step.call.parameters.Set("groups", work.groups);
  }
  ChosenKernel chosen = KernelOf(work.kernel, step.call, implementation);
  step.kernel = chosen.entry;
  step.inputs = {0, 1};
  step.outputs = {2};
  AddStep(plan, std::move(step), std::move(chosen.prepared));
  PlaceInArena(plan);
  return Executor(std::move(plan));
}

std::shared_ptr<onednn::Primitive> PrimitiveOf(const Work& work, Dtype dtype) {
  if (work.window.empty()) {
    onednn::Matmul matmul;
    matmul.rows = work.source[0];
    matmul.inner = work.source[1];
    matmul.columns = work.weights[1];
    matmul.dtype = matmul.result_dtype = dtype;
    matmul.packs = true;
    return onednn::MakeMatmul(matmul);
  }
  onednn::Convolution shape;
  shape.images = work.source[0];
  shape.groups = work.groups;
  shape.inputs = work.source[3];
  shape.outputs = work.weights[0];
  shape.input = shape.result = {work.source[1], work.source[2]};
  shape.window = work.window;
  shape.strides = shape.dilations = {1, 1};
  shape.begin = shape.end = {work.window[0] / 2, work.window[1] / 2};
  shape.dtype = shape.result_dtype = dtype;
  return onednn::MakeConvolution(shape);
}

void Measure(const Work& work, Dtype dtype, int runs) {
  Executor executor = ExecutorOf(work, dtype, Implementation::kOneDnn);
  Executor own_executor = ExecutorOf(work, dtype, Implementation::kVector);
  const auto primitive = PrimitiveOf(work, dtype);
  if (primitive == nullptr) return;
  const ConstantTensor source = RandomTensor({dtype, work.source}, 1);
  const ConstantTensor weights = RandomTensor({dtype, work.weights}, 2);
  primitive->Fix(onednn::kWeights, weights.data.get());
  const AlignedBytes result = AllocateAligned(Bytes(*executor.plan().slots[2].type));
  const AlignedBytes scratchpad = AllocateAligned(primitive->scratchpad());
  const void* arguments[onednn::kArguments] = {};
  arguments[onednn::kSource] = source.data.get();
  arguments[onednn::kResult] = result.get();
  arguments[onednn::kScratchpad] = scratchpad.get();
  double ours = 1e9;
  double own = 1e9;
  double bare = 1e9;
  for (int run = 0; run < runs; ++run) {
    double start = ThreadSeconds();
    executor.Run({source.data.get()});
    ours = std::min(ours, ThreadSeconds() - start);
    start = ThreadSeconds();
    own_executor.Run({source.data.get()});
    own = std::min(own, ThreadSeconds() - start);
    start = ThreadSeconds();
    primitive->Run(arguments);
    bare = std::min(bare, ThreadSeconds() - start);
  }
  std::printf("%-7s %-9s %-20s %8.1f %8.1f %8.1f %6.3f %6.3f  %s\n", work.kernel, DtypeName(dtype),
              Text({dtype, work.source}).substr(std::string(DtypeName(dtype)).size()).c_str(),
              work.operations / ours * 1e-9, work.operations / own * 1e-9,
              work.operations / bare * 1e-9, bare / ours, bare / own,
              primitive->implementation().c_str());
}

}  // namespace
}  // namespace opledger

int main(int argc, char** argv) {
  using namespace opledger;  // NOLINT(google-build-using-namespace): a program of its own
  const int runs = argc > 1 ? std::atoi(argv[1]) : 30;
  SetThreads(1);
  const Work all[] = {
      {"MatMul", {1024, 1024}, {1024, 1024}, {}, 2.0 * 1024 * 1024 * 1024},
      {"MatMul", {128, 768}, {768, 3072}, {}, 2.0 * 128 * 768 * 3072},
      {"Conv", {1, 56, 56, 64}, {64, 64, 3, 3}, {3, 3}, 2.0 * 56 * 56 * 64 * 64 * 9},
      {"Conv", {1, 14, 14, 256}, {256, 256, 3, 3}, {3, 3}, 2.0 * 14 * 14 * 256 * 256 * 9},
      {"Conv", {1, 56, 56, 128}, {128, 1, 3, 3}, {3, 3}, 2.0 * 56 * 56 * 128 * 9, 128},
      {"Conv", {1, 56, 56, 128}, {128, 4, 3, 3}, {3, 3}, 2.0 * 56 * 56 * 128 * 4 * 9, 32},
      {"Conv", {1, 28, 28, 256}, {256, 8, 3, 3}, {3, 3}, 2.0 * 28 * 28 * 256 * 8 * 9, 32}};
  std::printf("oneDNN %s, %s; GFLOP/s on oneDNN, own, bare, ratios\n", onednn::Version().c_str(),
              InstructionSets().c_str());
  for (const Work& work : all) {
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBfloat16}) Measure(work, dtype, runs);
  }
  return 0;
}
