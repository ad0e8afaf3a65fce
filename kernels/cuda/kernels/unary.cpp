// Unary kernels, as chains of one step.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"

namespace opledger::cuda {
namespace {

template <ChainCode kCode, int kParameters>
Prepared PrepareUnary(const Call& call, double alpha, double beta) {
  ChainProgram program(call.Input(0).dtype, call.Shape(0));
  program.AddInput(0, call.Input(0));
  if (kParameters > 0) alpha = call.parameters.Number("alpha", alpha);
  if (kParameters > 1) beta = call.parameters.Number("beta", beta);
  program.Step(kCode, 0, static_cast<float>(alpha), static_cast<float>(beta));
  return PreparedChain(call.Input(0), program);
}

// Inputs: x, min, max (constant scalars); or the parameters min and max.
Prepared PrepareClip(const Call& call) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float bounds[] = {static_cast<float>(call.parameters.Number("min", -kInfinity)),
                    static_cast<float>(call.parameters.Number("max", kInfinity))};
  for (std::size_t i = 1; i < 3; ++i) {
    if (!call.Has(i)) continue;
    if (call.constants[i] == nullptr || Elements(call.Shape(i)) != 1 ||
        call.Input(i).dtype != call.Input(0).dtype) {
      return Refuse("a bound is not a constant scalar");
    }
    arithmetic::Upcast(call.Input(i).dtype, call.constants[i], &bounds[i - 1], 1);
  }
  ChainProgram program(call.Input(0).dtype, call.Shape(0));
  program.AddInput(0, call.Input(0));
  program.Step(kClip, 0, bounds[0], bounds[1]);
  return PreparedChain(call.Input(0), program);
}

// Parameter: to.
Prepared PrepareCast(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Cast", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (call.parameters.Has("small")) return Refuse("it raises small values");
  const TensorType& result = reference.prepared.outputs[0];
  const Dtype from = call.Input(0).dtype;
  const bool is_float =
      from == Dtype::kFloat32 || from == Dtype::kFloat16 || from == Dtype::kBfloat16;
  if (result.dtype == Dtype::kUint8) return Refuse("it casts to uint8");
  if (!is_float && result.dtype != Dtype::kFloat32 && result.dtype != Dtype::kBool &&
      from != Dtype::kBool) {
    return Refuse("it casts integers to another type than float32");
  }
  ChainProgram program(result.dtype, result.dimensions);
  program.AddInput(0, call.Input(0));
  Prepared prepared = PreparedChain(result, program);
  const auto type = ElementTypeOf(result.dtype);
  if (!prepared.refusal.ok() || !is_float || result.dtype == Dtype::kBool) return prepared;
  prepared.run = [from = *ElementTypeOf(from), to = *type, count = program.chain().count](
                     const void* const* inputs, void* const* outputs, void*) {
    const CastCall cast{from, to, inputs[0], outputs[0], count};
    Report(Module().cast(&cast));
  };
  return prepared;
}

#define OPLEDGER_CUDA_UNARY(NAME, BOUND, COUNT, ALPHA, BETA, VALUE) \
  OPLEDGER_KERNEL(NAME, "cuda")                                     \
      .Types("T", OPLEDGER_CUDA_FLOATS)                             \
      .Accumulates(Dtype::kFloat32)                                 \
      .ErrorBound(BOUND)                                            \
      .Run([](const Call& call) { return PrepareUnary<kUnary##NAME, COUNT>(call, ALPHA, BETA); });
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_CUDA_UNARY)
#undef OPLEDGER_CUDA_UNARY
OPLEDGER_KERNEL(Clip, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .ErrorBound("exact")
    .Run(&PrepareClip);
OPLEDGER_KERNEL(Cast, "cuda")
    .Types("T", OPLEDGER_CUDA_READABLE)
    .ErrorBound("0.5 ulp")
    .Run(&PrepareCast);

}  // namespace
}  // namespace opledger::cuda
