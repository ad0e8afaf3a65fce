// Conv and ConvTranspose over N, C, D1, ...: the reference, by a matrix of taps and positions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/contraction/contraction.h"
#include "kernels/cpu/elementwise/elementwise.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/window/window.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

struct ConvolutionShape {
  Window window;
  std::size_t images = 0;
  std::size_t groups = 1;
  std::size_t inputs = 0;   // channels of one group
  std::size_t outputs = 0;  // channels of one group
  bool biased = false;
};

// One group of one image: sums (outputs x positions) with weights (outputs x inputs x taps).
template <typename T>
void ConvolveGroup(const ConvolutionShape& shape, const T* in, const T* weights,
                   Computed<T>* workspace) {
  const std::size_t positions = shape.window.Positions();
  const std::size_t taps = shape.window.Taps();
  const std::size_t pixels = Elements(shape.window.input);
  const std::size_t rows = shape.inputs * taps;
  Computed<T>* columns = workspace + shape.outputs * positions;
  Computed<T>* wide = columns + rows * positions;
  std::fill(columns, columns + rows * positions, Computed<T>(0));
  for (std::size_t position = 0; position < positions; ++position) {
    ForEachTap(shape.window, position, [&](std::size_t tap, std::size_t index) {
      for (std::size_t channel = 0; channel < shape.inputs; ++channel) {
        columns[(channel * taps + tap) * positions + position] = Load(in[channel * pixels + index]);
      }
    });
  }
  UpcastMatrix(weights, shape.outputs, rows, false, wide);
  MultiplyAdd<Computed<T>>(shape.outputs, rows, positions, wide, rows, 1, columns, workspace);
}

template <typename T>
void Convolve(const ConvolutionShape& shape, const void* const* inputs, T* out,
              Computed<T>* workspace) {
  const auto* in = static_cast<const T*>(inputs[0]);
  const auto* weights = static_cast<const T*>(inputs[1]);
  const auto* bias = shape.biased ? static_cast<const T*>(inputs[2]) : nullptr;
  const std::size_t positions = shape.window.Positions();
  const std::size_t pixels = Elements(shape.window.input);
  for (std::size_t i = 0; i < shape.images * shape.groups; ++i) {
    const std::size_t group = i % shape.groups;
    std::fill(workspace, workspace + shape.outputs * positions, Computed<T>(0));
    ConvolveGroup(shape, in + i * shape.inputs * pixels,
                  weights + group * shape.outputs * shape.inputs * shape.window.Taps(), workspace);
    for (std::size_t channel = 0; bias != nullptr && channel < shape.outputs; ++channel) {
      const Computed<T> add = Load(bias[group * shape.outputs + channel]);
      Computed<T>* row = workspace + channel * positions;
      std::for_each(row, row + positions, [&](Computed<T>& sum) { sum += add; });
    }
    StoreAll(workspace, shape.outputs * positions, out + i * shape.outputs * positions);
  }
}

// Uses the window of the corresponding convolution, whose input is this output.
template <typename T>
void ConvolveTransposed(const ConvolutionShape& shape, const void* const* inputs, T* out,
                        Computed<T>* workspace) {
  using V = Computed<T>;
  const auto* in = static_cast<const T*>(inputs[0]);
  const auto* weights = static_cast<const T*>(inputs[1]);   // inputs x outputs x taps, by group
  const std::size_t positions = shape.window.Positions();   // of the input
  const std::size_t pixels = Elements(shape.window.input);  // of the output
  const std::size_t rows = shape.outputs * shape.window.Taps();
  V* columns = workspace + shape.outputs * pixels;
  V* wide_in = columns + rows * positions;
  V* wide = wide_in + shape.inputs * positions;
  for (std::size_t i = 0; i < shape.images * shape.groups; ++i) {
    const std::size_t group = i % shape.groups;
    UpcastMatrix(in + i * shape.inputs * positions, shape.inputs, positions, false, wide_in);
    UpcastMatrix(weights + group * shape.inputs * rows, shape.inputs, rows, false, wide);
    std::fill(columns, columns + rows * positions, V(0));
    MultiplyAdd<V>(rows, shape.inputs, positions, wide, 1, rows, wide_in, columns);
    for (std::size_t channel = 0; channel < shape.outputs; ++channel) {
      const V start = shape.biased
                          ? Load(static_cast<const T*>(inputs[2])[group * shape.outputs + channel])
                          : V(0);
      std::fill(workspace + channel * pixels, workspace + (channel + 1) * pixels, start);
    }
    for (std::size_t position = 0; position < positions; ++position) {
      ForEachTap(shape.window, position, [&](std::size_t tap, std::size_t index) {
        for (std::size_t channel = 0; channel < shape.outputs; ++channel) {
          workspace[channel * pixels + index] +=
              columns[(channel * shape.window.Taps() + tap) * positions + position];
        }
      });
    }
    StoreAll(workspace, shape.outputs * pixels, out + i * shape.outputs * pixels);
  }
}

// Reads all but the window. Returns whether the channels of input, weights and bias match.
bool ReadChannels(const Call& call, bool transposed, ConvolutionShape& shape) {
  const Dimensions& in = call.Shape(0);
  const Dimensions& weights = call.Shape(1);
  const std::int64_t groups = call.parameters.Integer("groups", 1);
  if (in.size() < 3 || weights.size() != in.size() || groups < 1 || in[1] % groups != 0 ||
      call.Input(1).dtype != call.Input(0).dtype || weights[0] % groups != 0) {
    return false;
  }
  shape.images = static_cast<std::size_t>(in[0]);
  shape.groups = static_cast<std::size_t>(groups);
  shape.inputs = static_cast<std::size_t>(in[1] / groups);
  shape.outputs = static_cast<std::size_t>(transposed ? weights[1] : weights[0] / groups);
  shape.biased = call.Has(2);
  const std::int64_t channels = transposed ? weights[1] * groups : weights[0];
  if (shape.biased && call.Shape(2) != Dimensions{channels}) return false;
  return transposed ? weights[0] == in[1] : weights[1] * groups == in[1];
}

// Inputs: x, weights, bias (optional). Parameters: groups and a window.
Prepared PrepareConv(const Call& call) {
  const bool last = ChannelsLast(call);
  if (IsFused(call)) return PrepareFused(call, &PrepareConv, last ? call.Input(0).Rank() - 1 : 1);
  if (last) return ThroughChannelsFirst(call, &PrepareConv);
  ConvolutionShape shape;
  const auto window = ReadWindow(call);
  if (!window) return Refuse(window.status());
  if (!ReadChannels(call, false, shape)) return Refuse("its channels do not match its weights");
  const Dimensions kernel(call.Shape(1).begin() + 2, call.Shape(1).end());
  if (kernel != window->kernel) return Refuse("its window does not match its weights");
  shape.window = *window;
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, {call.Shape(0)[0], call.Shape(1)[0]}}};
  Dimensions& out = prepared.outputs[0].dimensions;
  out.insert(out.end(), window->output.begin(), window->output.end());
  const std::size_t rows = shape.inputs * window->Taps();
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace =
        ((shape.outputs + rows) * window->Positions() + shape.outputs * rows) * sizeof(Computed<T>);
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
      Convolve(shape, inputs, static_cast<T*>(outputs[0]), static_cast<Computed<T>*>(workspace));
    };
  });
  return prepared;
}

// Inputs: x, weights, bias (optional). Parameters: groups, a window, and output: its spatial
// dimensions.
Prepared PrepareConvTranspose(const Call& call) {
  const bool last = ChannelsLast(call);
  if (IsFused(call)) {
    return PrepareFused(call, &PrepareConvTranspose, last ? call.Input(0).Rank() - 1 : 1);
  }
  if (last) return ThroughChannelsFirst(call, &PrepareConvTranspose);
  ConvolutionShape shape;
  if (!ReadChannels(call, true, shape)) return Refuse("its channels do not match its weights");
  const Dimensions result = call.parameters.List("output");
  Call seen = call;  // the output, which the window of the convolution slides over
  seen.inputs[0]->dimensions = {1, 1};
  seen.inputs[0]->dimensions.insert(seen.inputs[0]->dimensions.end(), result.begin(), result.end());
  auto window = ReadWindow(seen);
  if (!window) return Refuse(window.status());
  const Dimensions given(call.Shape(0).begin() + 2, call.Shape(0).end());
  if (given.size() != result.size()) return Refuse("its output and input have different ranks");
  window->output = given;  // may have more positions than fit; their taps outside are dropped
  shape.window = *window;
  Prepared prepared;
  prepared.outputs = {
      {call.Input(0).dtype,
       {call.Shape(0)[0], static_cast<std::int64_t>(shape.outputs * shape.groups)}}};
  Dimensions& out = prepared.outputs[0].dimensions;
  out.insert(out.end(), result.begin(), result.end());
  const std::size_t rows = shape.outputs * window->Taps();
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = (shape.outputs * Elements(result) +
                          (rows + shape.inputs) * window->Positions() + shape.inputs * rows) *
                         sizeof(Computed<T>);
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
      ConvolveTransposed(shape, inputs, static_cast<T*>(outputs[0]),
                         static_cast<Computed<T>*>(workspace));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Conv, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24") OPLEDGER_READS_WINDOW.Reads("groups")
    .Fuses(FusedChannel::kSecond)
    .ChannelsLast(ChannelsLastUse::kAsks)
    .Run(&PrepareConv);
OPLEDGER_KERNEL(ConvTranspose, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24") OPLEDGER_READS_WINDOW.Reads("groups")
    .Reads("output")
    .Fuses(FusedChannel::kSecond)
    .ChannelsLast(ChannelsLastUse::kAsks)
    .Run(&PrepareConvTranspose);

}  // namespace
}  // namespace opledger
