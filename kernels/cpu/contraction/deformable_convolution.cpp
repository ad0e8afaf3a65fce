// DeformableConvolution: a convolution of images in which each tap is displaced by an offset, which
// need not be whole pixels, and may have a weight.
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/window/window.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct DeformableShape {
  Window window;
  std::size_t images = 0;
  std::size_t groups = 1;
  std::size_t inputs = 0;         // channels of one group
  std::size_t outputs = 0;        // channels of one group
  std::size_t offset_groups = 1;  // channels of a group share their offsets
  bool biased = false;
  bool weighed = false;
};

// Interpolates between four pixels; those outside are 0.
template <typename T>
Computed<T> PixelBetween(const Window& window, const T* image, Computed<T> row,
                         Computed<T> column) {
  using V = Computed<T>;
  const auto rows = static_cast<V>(window.input[0]);
  const auto columns = static_cast<V>(window.input[1]);
  if (!(row > V(-1) && row < rows && column > V(-1) && column < columns)) return 0;
  const V top = std::floor(row);
  const V left = std::floor(column);
  V sum = 0;
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) {
      const V y = top + static_cast<V>(i);
      const V x = left + static_cast<V>(k);
      if (y < V(0) || y >= rows || x < V(0) || x >= columns) continue;
      const V weight = (V(1) - std::abs(row - y)) * (V(1) - std::abs(column - x));
      const auto at = static_cast<std::int64_t>(y) * window.input[1] + static_cast<std::int64_t>(x);
      sum += weight * Load(image[at]);
    }
  }
  return sum;
}

// Reads all taps of all channels at one position: (channel, tap).
template <typename T>
void TakeTaps(const DeformableShape& shape, const T* image, const T* offsets, const T* mask,
              std::size_t position, Computed<T>* columns) {
  using V = Computed<T>;
  const Window& window = shape.window;
  const std::size_t taps = window.Taps();
  const std::size_t positions = window.Positions();
  const std::size_t channels = shape.groups * shape.inputs;
  const std::size_t pixels = Elements(window.input);
  const std::size_t width = static_cast<std::size_t>(window.output[1]);
  const auto first = [&](std::size_t d, std::size_t at) {
    return static_cast<std::int64_t>(at) * window.strides[d] - window.begin[d];
  };
  const std::int64_t row = first(0, position / width);
  const std::int64_t column = first(1, position % width);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::size_t group = channel / (channels / shape.offset_groups);
    for (std::size_t tap = 0; tap < taps; ++tap) {
      const std::size_t of_tap = group * taps + tap;
      const auto y = static_cast<std::int64_t>(tap) / window.kernel[1];
      const auto x = static_cast<std::int64_t>(tap) % window.kernel[1];
      const V dy = Load(offsets[2 * of_tap * positions + position]);
      const V dx = Load(offsets[(2 * of_tap + 1) * positions + position]);
      const V value = PixelBetween(window, image + channel * pixels,
                                   static_cast<V>(row + y * window.dilations[0]) + dy,
                                   static_cast<V>(column + x * window.dilations[1]) + dx);
      const V weight = mask == nullptr ? V(1) : Load(mask[of_tap * positions + position]);
      columns[channel * taps + tap] = weight * value;
    }
  }
}

// Inputs: x, weights, offsets, bias, mask.
template <typename T>
void ConvolveDeformed(const DeformableShape& shape, const void* const* inputs, T* out,
                      Computed<T>* columns) {
  using V = Computed<T>;
  const std::size_t taps = shape.window.Taps();
  const std::size_t positions = shape.window.Positions();
  const std::size_t rows = shape.inputs * taps;
  const auto* weights = static_cast<const T*>(inputs[1]);
  const auto* bias = shape.biased ? static_cast<const T*>(inputs[3]) : nullptr;
  for (std::size_t i = 0; i < shape.images; ++i) {
    const auto* image = static_cast<const T*>(inputs[0]) +
                        i * shape.groups * shape.inputs * Elements(shape.window.input);
    const std::size_t of_image = i * shape.offset_groups * taps * positions;
    const auto* offsets = static_cast<const T*>(inputs[2]) + 2 * of_image;
    const auto* mask = shape.weighed ? static_cast<const T*>(inputs[4]) + of_image : nullptr;
    for (std::size_t position = 0; position < positions; ++position) {
      TakeTaps(shape, image, offsets, mask, position, columns);
      for (std::size_t channel = 0; channel < shape.groups * shape.outputs; ++channel) {
        const V* taken = columns + channel / shape.outputs * rows;
        V sum = 0;
        for (std::size_t k = 0; k < rows; ++k) sum += Load(weights[channel * rows + k]) * taken[k];
        if (bias != nullptr) sum += Load(bias[channel]);
        Store(out[(i * shape.groups * shape.outputs + channel) * positions + position], sum);
      }
    }
  }
}

// Returns an empty string, or why the call cannot be computed.
std::string ReadDeformable(const Call& call, DeformableShape& shape) {
  const Dimensions& x = call.Shape(0);
  if (x.size() != 4 || !call.Has(1) || call.Input(1).Rank() != 4)
    return "its input or weights are not images";
  const auto window = ReadWindow(call);
  if (!window) return window.status().message;
  shape.window = *window;
  const Dimensions& weights = call.Shape(1);
  const std::int64_t groups = call.parameters.Integer("groups", 1);
  const std::int64_t offset_groups = call.parameters.Integer("offset_groups", 1);
  if (groups < 1 || x[1] % groups != 0 || weights[0] % groups != 0 || weights[1] != x[1] / groups ||
      offset_groups < 1 || x[1] < 1 || x[1] % offset_groups != 0) {
    return "its weights or groups do not match its channels";
  }
  const Dimensions kernel(weights.begin() + 2, weights.end());
  if (window->kernel != kernel) return "its weights do not match its window";
  const auto taps = static_cast<std::int64_t>(window->Taps());
  const Dimensions mask = {x[0], offset_groups * taps, window->output[0], window->output[1]};
  Dimensions offsets = mask;
  offsets[1] *= 2;
  const bool fits = call.Has(2) && call.Shape(2) == offsets &&
                    (!call.Has(3) || call.Shape(3) == Dimensions{weights[0]}) &&
                    (!call.Has(4) || call.Shape(4) == mask);
  if (!fits) return "its offsets, bias or mask do not match its output";
  for (std::size_t i = 1; i < 5; ++i) {
    if (call.Has(i) && call.Input(i).dtype != call.Input(0).dtype)
      return "its inputs differ in type";
  }
  shape.images = static_cast<std::size_t>(x[0]);
  shape.groups = static_cast<std::size_t>(groups);
  shape.inputs = static_cast<std::size_t>(x[1] / groups);
  shape.outputs = static_cast<std::size_t>(weights[0] / groups);
  shape.offset_groups = static_cast<std::size_t>(offset_groups);
  shape.biased = call.Has(3);
  shape.weighed = call.Has(4);
  return {};
}

// Inputs: x (N, C, H, W), weights (M, C / groups, h, w), offsets (N, offset_groups * h * w * 2, H',
// W') with the row and the column of each tap, bias (M), mask (N, offset_groups * h * w, H', W').
// Parameters: a window, groups, offset_groups.
Prepared PrepareDeformable(const Call& call) {
  DeformableShape shape;
  const std::string problem = ReadDeformable(call, shape);
  if (!problem.empty()) return Refuse(problem);
  Prepared prepared;
  prepared.outputs = {
      {call.Input(0).dtype,
       {call.Shape(0)[0], call.Shape(1)[0], shape.window.output[0], shape.window.output[1]}}};
  const std::size_t taken = shape.groups * shape.inputs * shape.window.Taps();
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = taken * sizeof(Computed<T>);
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
      ConvolveDeformed(shape, inputs, static_cast<T*>(outputs[0]),
                       static_cast<Computed<T>*>(workspace));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(DeformableConvolution, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24") OPLEDGER_READS_WINDOW.Reads("groups")
    .Reads("offset_groups")
    .Run(&PrepareDeformable);

}  // namespace
}  // namespace opledger
