// ConvTranspose on oneDNN, channels last. Compiled only for oneDNN 3.0 and newer, since that of 2.6
// is slower than the vector kernel.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/onednn/convolution.h"

namespace opledger::onednn {
namespace {

// oneDNN 3.2 took up to twice the time of the vector kernel for these: 4 channels to 32 by 3 x 3
// windows, stride 1.
bool HasFewChannels(const Convolution& shape) {
  return shape.inputs < 8 && std::all_of(shape.strides.begin(), shape.strides.end(),
                                         [](std::int64_t stride) { return stride == 1; });
}

// Pads at the ends are chosen to give the requested output size.
Prepared PrepareConvTranspose(const Call& call) {
  const ChosenKernel reference = ChooseKernel("ConvTranspose", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const TensorType& result = reference.prepared.outputs[0];
  if (const char* why = NotServed(call, result); why != nullptr) return Refuse(why);
  if (call.parameters.Integer("groups", 1) != 1) return Refuse("it has groups");
  Convolution shape;
  shape.transposed = true;
  shape.images = call.Shape(0)[0];
  shape.inputs = call.Shape(0).back();
  shape.outputs = call.Shape(1)[1];
  shape.input.assign(call.Shape(0).begin() + 1, call.Shape(0).end() - 1);
  shape.result = call.parameters.List("output");
  shape.window.assign(call.Shape(1).begin() + 2, call.Shape(1).end());
  const std::size_t rank = shape.window.size();
  shape.strides = call.parameters.List("strides");
  shape.strides.resize(rank, 1);
  if (HasFewChannels(shape)) return Refuse("its channels are too few");
  shape.dilations = call.parameters.List("dilations");
  shape.dilations.resize(rank, 1);
  shape.begin = call.parameters.List("begin");
  shape.begin.resize(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    shape.end.push_back((shape.input[d] - 1) * shape.strides[d] +
                        (shape.window[d] - 1) * shape.dilations[d] + 1 - shape.begin[d] -
                        shape.result[d]);
  }
  return PrepareConvolution(shape, call, result);
}

// Always defined where this file is compiled; tells readers when the registration exists.
#ifdef OPLEDGER_HAS_ONEDNN
OPLEDGER_KERNEL(ConvTranspose, "cpu")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Refuses("its channels are not last", &HasChannelsSecond)
    .Refuses("its bias is not fused", &HasPlainBias)
    .By("oneDNN")
    .Run(&PrepareConvTranspose);
#endif

}  // namespace
}  // namespace opledger::onednn
