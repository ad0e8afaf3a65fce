// Pad on the GPU.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/tensor/element.h"

namespace opledger::cuda {
namespace {

PadMode PadModeOf(const std::string& word) {
  if (word == "edge") return kPadEdge;
  if (word == "reflect") return kPadReflect;
  return word == "wrap" ? kPadWrap : kPadConstant;
}

// Returns the bits of the parameter `value` in a type; 0 for types that are not computed with.
std::uint64_t ConstantBits(Dtype dtype, double value) {
  std::uint64_t bits = 0;
  WithNumber(dtype, [&]<typename N>(N*) {
    N number;
    Store(number, static_cast<Computed<N>>(value));
    std::memcpy(&bits, &number, sizeof number);
  });
  return bits;
}

// Inputs: x, value (a scalar). Parameters: mode; begin and end, for each dimension.
Prepared PreparePad(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Pad", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dimensions& shape = call.Shape(0);
  const Dimensions& result = reference.prepared.outputs[0].dimensions;
  if (shape.size() > kMaxDimensions) return Refuse("it has too many dimensions");
  const Integers begin = call.parameters.List("begin");
  const Integers end = call.parameters.List("end");
  const Dimensions strides = Strides(shape);
  PadCall pad = {};
  pad.element = static_cast<std::int32_t>(ElementSize(call.Input(0).dtype));
  pad.mode = PadModeOf(call.parameters.Word("mode", "constant"));
  pad.rank = static_cast<std::int32_t>(shape.size());
  pad.constant = ConstantBits(call.Input(0).dtype, call.parameters.Number("value", 0));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    pad.size[d] = result[d];
    pad.before[d] = std::max<std::int64_t>(begin[d], 0);
    pad.first[d] = std::max<std::int64_t>(-begin[d], 0);
    pad.kept[d] = shape[d] - pad.first[d] + std::min<std::int64_t>(end[d], 0);
    pad.stride[d] = strides[d];
  }
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [pad, has_value = call.Has(1)](const void* const* inputs, void* const* outputs,
                                                void*) {
    PadCall filled = pad;
    filled.in = inputs[0];
    filled.value = has_value ? inputs[1] : nullptr;
    filled.out = outputs[0];
    Report(Module().pad(&filled));
  };
  return prepared;
}

OPLEDGER_KERNEL(Pad, "cuda").Types("T", OPLEDGER_CUDA_ANY).ErrorBound("exact").Run(&PreparePad);

}  // namespace
}  // namespace opledger::cuda
