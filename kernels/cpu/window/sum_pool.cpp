// SumPool over N, C, D1, ...: the sums that AveragePool divides.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/window/window.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Takes the parameters of ReadPoolWindow.
Prepared PrepareSumPool(const Call& call) {
  const auto read = ReadPoolWindow(call);
  if (!read) return Refuse(read.status());
  Prepared prepared;
  const Dimensions& x = call.Shape(0);
  TensorType out{call.Input(0).dtype, {x[0], x[1]}};
  out.dimensions.insert(out.dimensions.end(), read->output.begin(), read->output.end());
  prepared.outputs = {out};
  const auto planes = static_cast<std::size_t>(x[0] * x[1]);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [window = *read, planes](const void* const* inputs, void* const* outputs,
                                            void*) {
      const std::size_t pixels = Elements(window.input);
      const std::size_t positions = window.Positions();
      for (std::size_t i = 0; i < planes * positions; ++i) {
        const auto* plane = static_cast<const T*>(inputs[0]) + i / positions * pixels;
        Computed<T> sum = 0;
        ForEachTap(window, i % positions,
                   [&](std::size_t, std::size_t index) { sum += Load(plane[index]); });
        Store(static_cast<T*>(outputs[0])[i], sum);
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(SumPool, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24") OPLEDGER_READS_WINDOW.Run(&PrepareSumPool);

}  // namespace
}  // namespace opledger
