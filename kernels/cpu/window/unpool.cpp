// Kernels that turn windows back into images: MaxUnpool puts elements at their indices, Col2Im sums
// overlapping windows.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/cpu/window/window.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Inputs: x, indices (int64, in the shape of x, into the input of the pool, whose shape was
// `pooled`). Parameters: output: the shape of the output; pooled.
Prepared PrepareMaxUnpool(const Call& call) {
  if (!call.Has(1) || call.Input(1).dtype != Dtype::kInt64 || call.Shape(1) != call.Shape(0)) {
    return Refuse("its indices must be int64 and have the shape of its input");
  }
  const Dimensions out_shape = call.parameters.List("output");
  const Dimensions pooled = call.parameters.List("pooled");
  const std::size_t rank = out_shape.size();
  if (pooled.size() != rank || call.Input(0).Rank() != rank) {
    return Refuse("its output and input have different ranks");
  }
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, out_shape}};
  if (!CheckSize(prepared.outputs[0]) || !CheckSize({Dtype::kFloat64, pooled})) {
    return Refuse(OutputProblem(prepared.outputs[0]));
  }
  const std::size_t count = Elements(call.Shape(0));
  const std::size_t total = Elements(out_shape);
  const auto places = static_cast<std::int64_t>(Elements(pooled));
  const Dimensions strides = Strides(out_shape);
  WithSize(ElementSize(call.Input(0).dtype), [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      auto* out = static_cast<T*>(outputs[0]);
      std::fill_n(out, total, T{});
      for (std::size_t i = 0; i < count; ++i) {
        std::int64_t rest = CheckedIndex(static_cast<const std::int64_t*>(inputs[1])[i], places);
        std::int64_t place = rest < 0 ? -1 : 0;
        for (std::size_t d = rank; d-- > 0 && place >= 0; rest /= pooled[d]) {
          const std::int64_t at = rest % pooled[d];
          if (at >= out_shape[d]) ReportOutside(at, out_shape[d]);
          place = at < out_shape[d] ? place + at * strides[d] : -1;
        }
        if (place >= 0) out[place] = static_cast<const T*>(inputs[0])[i];
      }
    };
  });
  return prepared;
}

// Input: x (N, C * taps, positions). Parameters: image: its spatial dimensions; a window.
Prepared PrepareCol2Im(const Call& call) {
  const Dimensions image = call.parameters.List("image");
  const Integers kernel = call.parameters.List("kernel");
  if (call.Input(0).Rank() != 3 || kernel.size() != image.size()) {
    return Refuse(
        "its input must have 3 dimensions, and its kernel one size for each dimension of the "
        "image");
  }
  Prepared prepared;
  Call of_image = call;
  Dimensions shape = {call.Shape(0)[0], 1};
  shape.insert(shape.end(), image.begin(), image.end());
  of_image.inputs[0]->dimensions = shape;
  const auto window = ReadWindow(of_image);
  if (!window) return Refuse(window.status());
  const auto taps = static_cast<std::int64_t>(window->Taps());
  const std::size_t positions = window->Positions();
  if (taps == 0 || call.Shape(0)[1] % taps != 0 ||
      call.Shape(0)[2] != static_cast<std::int64_t>(positions)) {
    return Refuse(
        "its input does not have the number of windows and taps that its image and kernel imply");
  }
  shape[1] = call.Shape(0)[1] / taps;
  const auto planes = static_cast<std::size_t>(shape[0] * shape[1]);
  const std::size_t pixels = Elements(image);
  prepared.outputs = {{call.Input(0).dtype, shape}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    using V = Computed<T>;
    prepared.workspace = pixels * sizeof(V);
    prepared.run = [window = *window, planes, pixels, positions](
                       const void* const* inputs, void* const* outputs, void* workspace) {
      auto* sums = static_cast<V*>(workspace);
      for (std::size_t plane = 0; plane < planes; ++plane) {
        const auto* in = static_cast<const T*>(inputs[0]) + plane * window.Taps() * positions;
        std::fill_n(sums, pixels, V(0));
        for (std::size_t position = 0; position < positions; ++position) {
          ForEachTap(window, position, [&](std::size_t tap, std::size_t index) {
            sums[index] += Load(in[tap * positions + position]);
          });
        }
        for (std::size_t i = 0; i < pixels; ++i) {
          Store(static_cast<T*>(outputs[0])[plane * pixels + i], sums[i]);
        }
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(MaxUnpool, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .ErrorBound("exact")
    .Reads("output")
    .Reads("pooled")
    .Run(&PrepareMaxUnpool);
OPLEDGER_KERNEL(Col2Im, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("image") OPLEDGER_READS_WINDOW.Run(&PrepareCol2Im);

}  // namespace
}  // namespace opledger
