// CausalConvolution: applies each channel's kernel to the current element and those before it. The
// last elements of a call are the past of the next one.
// https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct CausalShape {
  std::size_t lines = 0;  // batches times channels
  std::size_t channels = 0;
  std::size_t length = 0;
  std::size_t taps = 0;
  bool has_bias = false;
  bool has_past = false;
  bool silu = false;
};

// inputs: x, weights, bias, past; outputs: y, state.
template <typename T>
void RunCausal(const CausalShape& shape, const void* const* inputs, void* const* outputs) {
  using V = Computed<T>;
  const std::size_t before = shape.taps - 1;
  for (std::size_t line = 0; line < shape.lines; ++line) {
    const std::size_t channel = line % shape.channels;
    const auto* x = static_cast<const T*>(inputs[0]) + line * shape.length;
    const auto* weights = static_cast<const T*>(inputs[1]) + channel * shape.taps;
    const auto* past = shape.has_past ? static_cast<const T*>(inputs[3]) + line * before : nullptr;
    // Element `at` of the past followed by the line.
    const auto number = [&](std::size_t at) -> T {
      if (at >= before) return x[at - before];
      return past == nullptr ? T{} : past[at];
    };
    for (std::size_t i = 0; i < shape.length && outputs[0] != nullptr; ++i) {
      V sum = 0;
      for (std::size_t k = 0; k < shape.taps; ++k) sum += Load(weights[k]) * Load(number(i + k));
      if (shape.has_bias) sum += Load(static_cast<const T*>(inputs[2])[channel]);
      if (shape.silu) sum *= function::Sigmoid(sum);
      Store(static_cast<T*>(outputs[0])[line * shape.length + i], sum);
    }
    for (std::size_t i = 0; i < before && outputs[1] != nullptr; ++i) {
      static_cast<T*>(outputs[1])[line * before + i] = number(shape.length + i);
    }
  }
}

// Inputs: x (N, C, L), weights (C, 1, k), bias (C), past (N, C, k - 1). Parameter: silu.
Prepared PrepareCausal(const Call& call) {
  const Dimensions& x = call.Shape(0);
  if (x.size() != 3 || !call.Has(1) || call.Input(1).Rank() != 3 || call.Shape(1)[0] != x[1] ||
      call.Shape(1)[1] != 1 || call.Shape(1)[2] < 1) {
    return Refuse("it does not have one kernel per channel");
  }
  const Dimensions state = {x[0], x[1], call.Shape(1)[2] - 1};
  const bool fits = (!call.Has(2) || call.Shape(2) == Dimensions{x[1]}) &&
                    (!call.Has(3) || call.Shape(3) == state);
  if (!fits) return Refuse("its bias or past does not match its channels");
  for (std::size_t i = 1; i < 4; ++i) {
    if (call.Has(i) && call.Input(i).dtype != call.Input(0).dtype) {
      return Refuse("its inputs differ in type");
    }
  }
  CausalShape shape;
  shape.lines = static_cast<std::size_t>(x[0] * x[1]);
  shape.channels = static_cast<std::size_t>(x[1]);
  shape.length = static_cast<std::size_t>(x[2]);
  shape.taps = static_cast<std::size_t>(call.Shape(1)[2]);
  shape.has_bias = call.Has(2);
  shape.has_past = call.Has(3);
  shape.silu = call.parameters.Integer("silu", 0) != 0;
  Prepared prepared;
  prepared.outputs = {call.Input(0), {call.Input(0).dtype, state}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
      RunCausal<T>(shape, inputs, outputs);
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(CausalConvolution, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp + n * 2^-24")
    .Reads("silu")
    .Run(&PrepareCausal);

}  // namespace
}  // namespace opledger
