// Element-wise kernels with several inputs that broadcast, as chains.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/kernel/channels_last.h"

namespace opledger::cuda {
namespace {

// Returns the output type according to the reference kernel. Returns nullopt and sets `refused` if
// that refuses the call.
std::optional<TensorType> ResultOf(const char* kernel, const Call& call, Prepared& refused) {
  ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry != nullptr) return reference.prepared.outputs[0];
  refused = std::move(reference.prepared);
  return std::nullopt;
}

Prepared PreparePair(const char* kernel, ChainCode code, const Call& call) {
  Prepared refused;
  const auto result = ResultOf(kernel, call, refused);
  if (!result) return refused;
  ChainProgram program(result->dtype, result->dimensions);
  program.AddInput(0, call.Input(0));
  program.Step(code, program.AddInput(1, call.Input(1)));
  return PreparedChain(*result, program);
}

// Combines all inputs in order.
Prepared PrepareVariadic(const char* kernel, ChainCode code, const Call& call) {
  Prepared refused;
  const auto result = ResultOf(kernel, call, refused);
  if (!result) return refused;
  ChainProgram program(result->dtype, result->dimensions);
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.Has(i)) return Refuse("one of its inputs is absent");
    const std::uint8_t operand = program.AddInput(i, call.Input(i));
    if (i != 0) program.Step(code, operand);
  }
  if (std::string_view(kernel) == "Mean") {
    const auto count = static_cast<float>(call.inputs.size());
    std::vector<std::byte> bytes(sizeof(float));
    std::memcpy(bytes.data(), &count, sizeof(count));
    program.Step(kDiv,
                 program.AddConstant(std::make_shared<DeviceConstant>(std::move(bytes)), 1, 1));
  }
  return PreparedChain(*result, program);
}

// Inputs: condition, a, b.
Prepared PrepareWhere(const Call& call) {
  Prepared refused;
  const auto result = ResultOf("Where", call, refused);
  if (!result) return refused;
  ChainProgram program(result->dtype, result->dimensions);
  program.AddInput(2, call.Input(2));
  program.Step(kSave);
  program.Step(kLoad, program.AddInput(1, call.Input(1)));
  // Where the condition is 0, takes the saved value.
  program.Step(kSavedIfZero, program.AddInput(0, call.Input(0)));
  return PreparedChain(*result, program);
}

// Inputs: x, scale, shift, mean, variance (one for each channel). Parameter: epsilon. Steps are in
// the reference's order.
Prepared PrepareBatchNorm(const Call& call) {
  Prepared refused;
  const auto result = ResultOf("BatchNorm", call, refused);
  if (!result) return refused;
  const Dimensions& shape = result->dimensions;
  const std::size_t axis = ChannelsLast(call) ? shape.size() - 1 : 1;
  const auto channel = [&](std::size_t input) {
    TensorType type = call.Input(input);
    type.dimensions.resize(shape.size() - axis, 1);
    return type;
  };
  ChainProgram program(result->dtype, shape);
  program.AddInput(4, channel(4));
  program.Step(kAddNumber, 0, static_cast<float>(call.parameters.Number("epsilon", 1e-5)));
  program.Step(kUnarySqrt);
  program.Step(kDivInto, program.AddInput(1, channel(1)));
  program.Step(kSave);
  program.Step(kLoad, program.AddInput(0, call.Input(0)));
  program.Step(kSub, program.AddInput(3, channel(3)));
  program.Step(kMul, kSaved);
  program.Step(kAdd, program.AddInput(2, channel(2)));
  return PreparedChain(*result, program);
}

#define OPLEDGER_CUDA_PAIR(NAME, BOUND, ...)                                             \
  Prepared Prepare##NAME(const Call& call) { return PreparePair(#NAME, k##NAME, call); } \
  OPLEDGER_KERNEL(NAME, "cuda")                                                          \
      .Types("T", OPLEDGER_CUDA_FLOATS)                                                  \
      .Accumulates(Dtype::kFloat32)                                                      \
      .ErrorBound(BOUND)                                                                 \
      .Run(&Prepare##NAME);
OPLEDGER_PAIR_FUNCTIONS(OPLEDGER_CUDA_PAIR)
OPLEDGER_COMPARISONS(OPLEDGER_CUDA_PAIR)
OPLEDGER_CUDA_PAIR(Pow, "4 ulp")

#define OPLEDGER_CUDA_VARIADIC(NAME, CODE, BOUND)                                         \
  Prepared Prepare##NAME(const Call& call) { return PrepareVariadic(#NAME, CODE, call); } \
  OPLEDGER_KERNEL(NAME, "cuda")                                                           \
      .Types("T", OPLEDGER_CUDA_FLOATS)                                                   \
      .Accumulates(Dtype::kFloat32)                                                       \
      .ErrorBound(BOUND)                                                                  \
      .Run(&Prepare##NAME);
OPLEDGER_CUDA_VARIADIC(Sum, kAdd, "0.5 ulp + n * 2^-24")
OPLEDGER_CUDA_VARIADIC(Mean, kAdd, "0.5 ulp + n * 2^-24")
OPLEDGER_CUDA_VARIADIC(MaxOf, kMax, "exact")
OPLEDGER_CUDA_VARIADIC(MinOf, kMin, "exact")

OPLEDGER_KERNEL(Where, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS, 1)
    .ErrorBound("exact")
    .Run(&PrepareWhere);
OPLEDGER_KERNEL(BatchNorm, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp")
    .Run(&PrepareBatchNorm);

}  // namespace
}  // namespace opledger::cuda
