// QuantizeLinear and DequantizeLinear with integers of 8, 16 and 32 bits.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/elementwise/scale_shape.h"
#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"

namespace opledger::cuda {
namespace {

// Inputs: x, scale, zero (optional).
Prepared PrepareScaled(const char* kernel, bool quantizes, const Call& call) {
  const ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  ScaleShape shape;
  if (std::string problem = ReadScale(call, shape); !problem.empty()) return Refuse(problem);
  const TensorType& result = reference.prepared.outputs[0];
  const auto size = [](std::size_t each) { return static_cast<std::int64_t>(each); };
  QuantizeCall scaled = {};
  scaled.type = *ElementTypeOf(call.Input(0).dtype);
  scaled.scale_type = *ElementTypeOf(call.Input(1).dtype);
  scaled.quantized = *ElementTypeOf(quantizes ? result.dtype : call.Input(0).dtype);
  scaled.outer = size(shape.outer);
  scaled.length = size(shape.length);
  scaled.inner = size(shape.inner);
  scaled.block = size(shape.block);
  scaled.outer_step = size(shape.outer_step);
  scaled.axis_step = size(shape.axis_step);
  scaled.inner_step = size(shape.inner_step);
  Prepared prepared;
  prepared.outputs = {result};
  prepared.run = [scaled, quantizes, has_zero = call.Has(2)](const void* const* inputs,
                                                             void* const* outputs, void*) {
    QuantizeCall filled = scaled;
    filled.in = inputs[0];
    filled.scale = inputs[1];
    filled.zero = has_zero ? inputs[2] : nullptr;
    filled.out = outputs[0];
    Report(quantizes ? Module().quantize(&filled) : Module().dequantize(&filled));
  };
  return prepared;
}

Prepared PrepareQuantize(const Call& call) { return PrepareScaled("QuantizeLinear", true, call); }
Prepared PrepareDequantize(const Call& call) {
  return PrepareScaled("DequantizeLinear", false, call);
}

OPLEDGER_KERNEL(QuantizeLinear, "cuda")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt32})
    .Types("scale", OPLEDGER_CUDA_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .Run(&PrepareQuantize);
OPLEDGER_KERNEL(DequantizeLinear, "cuda")
    .Types("T", {Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kUint8, Dtype::kUint16})
    .Types("scale", OPLEDGER_CUDA_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp")
    .Run(&PrepareDequantize);

}  // namespace
}  // namespace opledger::cuda
