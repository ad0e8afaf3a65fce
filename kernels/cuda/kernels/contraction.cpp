// Finishes products. cuBLASLt adds the bias only if the result's type represents it exactly.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/kernels/contraction.h"

#include <cstring>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger::cuda {
namespace {

std::size_t InWholeLines(std::size_t bytes) {
  constexpr std::size_t kLine = 256;
  return (bytes + kLine - 1) / kLine * kLine;
}

// Returns the bias in the result's type, or nullptr if there is none, it is not constant, or
// converting it would be inexact.
std::shared_ptr<DeviceConstant> BiasOf(const Call& call, Dtype dtype) {
  if (!call.Has(kFusedBias) || call.constants[kFusedBias] == nullptr) return nullptr;
  const std::size_t count = Elements(call.Shape(kFusedBias));
  const auto* numbers = static_cast<const float*>(call.constants[kFusedBias]);
  std::vector<std::byte> downcast(count * ElementSize(dtype));
  arithmetic::Downcast(numbers, dtype, downcast.data(), count);
  std::vector<float> back(count);
  arithmetic::Upcast(dtype, downcast.data(), back.data(), count);
  if (std::memcmp(back.data(), numbers, count * sizeof(float)) != 0) return nullptr;
  return std::make_shared<DeviceConstant>(std::move(downcast));
}

// Lets the library compute the whole epilogue. Returns false if it cannot.
bool ByLibrary(const Call& call, const TensorType& result, Product& product,
               std::shared_ptr<DeviceConstant>& bias) {
  if (!IsFused(call)) return true;
  const FusedActivation activation = ActivationOf(call);
  if (call.Has(kFusedScale) || call.Has(kFusedAddend)) return false;
  if (!activation.name.empty() && activation.name != "Relu") return false;
  const bool cuts = !activation.name.empty();
  if (!call.Has(kFusedBias)) {
    product.epilogue = cuts ? kRelu : kPlain;
    return true;
  }
  bias = BiasOf(call, result.dtype);
  product.epilogue = cuts ? kBiasRelu : kBias;
  return bias != nullptr;
}

// Adds the steps that follow the product; the result's channels are dimension `channel`.
Status FollowUp(const Call& call, const TensorType& result, std::size_t channel,
                ChainProgram& program) {
  const auto of_channel = [&](FusedInput input) {
    TensorType type = call.Input(input);
    type.dimensions = Dimensions(result.Rank() - channel, 1);
    type.dimensions[0] = static_cast<std::int64_t>(Elements(call.Shape(input)));
    return program.AddInput(input, type);
  };
  program.AddWorkspace();
  if (call.Has(kFusedScale)) program.Step(kMul, of_channel(kFusedScale));
  if (call.Has(kFusedBias)) program.Step(kAdd, of_channel(kFusedBias));
  if (call.Has(kFusedAddend)) {
    program.Step(kAdd, program.AddInput(kFusedAddend, call.Input(kFusedAddend)));
  }
  const FusedActivation activation = ActivationOf(call);
  if (!activation.name.empty() &&
      !program.Unary(activation.name, static_cast<float>(activation.alpha),
                     static_cast<float>(activation.beta))) {
    return "its activation '" + activation.name + "' is not supported";
  }
  return program.status();
}

}  // namespace

Prepared FinishContraction(const Call& call, const TensorType& result, std::size_t channel,
                           std::size_t own_workspace, bool has_epilogue, RunProduct run) {
  Prepared prepared;
  prepared.outputs = {result};
  Product product;
  product.out_type = *ElementTypeOf(result.dtype);
  std::shared_ptr<DeviceConstant> bias;
  if ((has_epilogue || !IsFused(call)) && ByLibrary(call, result, product, bias)) {
    prepared.workspace = own_workspace;
    prepared.run = [=, run = std::move(run)](const void* const* inputs, void* const* outputs,
                                             void* workspace) {
      Product filled = product;
      if (bias != nullptr) filled.bias = bias->Data();
      run(filled, inputs, outputs[0], static_cast<std::byte*>(workspace));
    };
    return prepared;
  }
  ChainProgram program(result.dtype, result.dimensions);
  const Status status = FollowUp(call, result, channel, program);
  if (!status.ok()) return Refuse(status);
  const std::size_t sums = InWholeLines(Elements(result.dimensions) * sizeof(float));
  prepared.workspace = sums + own_workspace;
  prepared.run = [run = std::move(run), finish = program.Finish(), sums](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    auto* memory = static_cast<std::byte*>(workspace);
    run({kF32, kPlain, nullptr}, inputs, memory, memory + sums);
    finish(inputs, outputs, memory);
  };
  return prepared;
}

}  // namespace opledger::cuda
