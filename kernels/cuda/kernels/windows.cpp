// Pools, and window shapes for pools and convolutions. A single spatial dimension is treated as
// two, of which the first is 1.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/kernels/windows.h"

#include "kernels/cpu/window/window.h"
#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/kernel/channels_last.h"

namespace opledger::cuda {

StatusOr<WindowShape> ReadWindowShape(const Call& call, bool is_pool) {
  if (!ChannelsLast(call) || call.Input(0).Rank() < 3 || call.Input(0).Rank() > 4) {
    return Status("its channels are not last, or it does not have one or two spatial dimensions");
  }
  Call first = call;
  first.inputs[0]->dimensions = ToChannelsFirst(call.Shape(0));
  const auto window = is_pool ? ReadPoolWindow(first) : ReadWindow(first);
  if (!window) return window.status();
  WindowShape shape = {};
  shape.images = first.Shape(0)[0];
  shape.channels = first.Shape(0)[1];
  for (std::size_t d = 0; d < 2; ++d) {
    const bool given = d + window->Rank() >= 2;
    const std::size_t own = given ? d + window->Rank() - 2 : 0;
    shape.in[d] = given ? window->input[own] : 1;
    shape.out[d] = given ? window->output[own] : 1;
    shape.kernel[d] = given ? window->kernel[own] : 1;
    shape.stride[d] = given ? window->strides[own] : 1;
    shape.dilation[d] = given ? window->dilations[own] : 1;
    shape.begin[d] = given ? window->begin[own] : 0;
    shape.end[d] = given ? window->end[own] : 0;
  }
  return shape;
}

namespace {

Prepared PreparePool(const char* kernel, bool average, const Call& call) {
  const ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (call.outputs > 1) return Refuse("its indices are requested as an output");
  const auto window = ReadWindowShape(call, true);
  if (!window) return Refuse(window.status());
  PoolCall pool = {};
  pool.type = *ElementTypeOf(call.Input(0).dtype);
  pool.average = average ? 1 : 0;
  pool.count_pads = average && call.parameters.Integer("count_pads", 0) != 0 ? 1 : 0;
  pool.window = *window;
  Prepared prepared;
  prepared.outputs = {reference.prepared.outputs[0]};
  prepared.run = [pool](const void* const* inputs, void* const* outputs, void*) {
    PoolCall filled = pool;
    filled.in = inputs[0];
    filled.out = outputs[0];
    Report(Module().pool(&filled));
  };
  return prepared;
}

Prepared PrepareMaxPool(const Call& call) { return PreparePool("MaxPool", false, call); }
Prepared PrepareAveragePool(const Call& call) { return PreparePool("AveragePool", true, call); }

OPLEDGER_KERNEL(MaxPool, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .ErrorBound("exact")
    .Run(&PrepareMaxPool);
OPLEDGER_KERNEL(AveragePool, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Run(&PrepareAveragePool);

}  // namespace
}  // namespace opledger::cuda
