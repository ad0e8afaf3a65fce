// Reductions along axes on the GPU.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/chain/strided_layout.h"
#include "kernels/cuda/kernels/kernels.h"

namespace opledger::cuda {
namespace {

Prepared PrepareReduce(const char* kernel, ReduceWork work, const Call& call) {
  const ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto layouts = ReductionLayoutsOf(call.Shape(0), call.parameters.List("axes"));
  if (!layouts) return Refuse("it has too many dimensions");
  ReduceCall reduce = {};
  reduce.work = work;
  reduce.type = *ElementTypeOf(call.Input(0).dtype);
  reduce.groups = layouts->groups;
  reduce.members = layouts->members;
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [reduce](const void* const* inputs, void* const* outputs, void*) {
    ReduceCall filled = reduce;
    filled.in = inputs[0];
    filled.out = outputs[0];
    Report(Module().reduce(&filled));
  };
  return prepared;
}

#define OPLEDGER_CUDA_REDUCE(NAME, BOUND)                      \
  Prepared PrepareReduce##NAME(const Call& call) {             \
    return PrepareReduce("Reduce" #NAME, kReduce##NAME, call); \
  }                                                            \
  OPLEDGER_KERNEL(Reduce##NAME, "cuda")                        \
      .Types("T", OPLEDGER_CUDA_FLOATS)                        \
      .Accumulates(Dtype::kFloat32)                            \
      .ErrorBound(BOUND)                                       \
      .Run(&PrepareReduce##NAME);
OPLEDGER_CUDA_REDUCE(Sum, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_CUDA_REDUCE(Mean, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_CUDA_REDUCE(SumSquare, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_CUDA_REDUCE(L1, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_CUDA_REDUCE(L2, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_CUDA_REDUCE(Max, "exact")
OPLEDGER_CUDA_REDUCE(Min, "exact")
OPLEDGER_CUDA_REDUCE(Prod, "0.5 ulp + n / 32 * 2^-24")

}  // namespace
}  // namespace opledger::cuda
