// RoiAlign: divides regions of an image into bins; each is the mean or maximum of interpolated
// samples. https://onnx.ai/onnx/operators/onnx__RoiAlign.html
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct RegionShape {
  std::int64_t batches = 0;
  std::size_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::size_t regions = 0;
  std::int64_t rows = 0;  // of bins
  std::int64_t columns = 0;
  std::int64_t samples = 0;  // of a bin in each direction; 0: one for each pixel of the bin
  double scale = 1;
  bool half_pixel = true;
  bool max = false;
  bool wide = false;  // batch indices are int64
};

// The four pixels around a sample and their weights; all weights are 0 for samples outside.
template <typename V>
struct Corners {
  std::int64_t index[4] = {};
  V weight[4] = {};
};

template <typename V>
Corners<V> CornersAt(const RegionShape& shape, V y, V x) {
  Corners<V> corners;
  const V height = static_cast<V>(shape.height);
  const V width = static_cast<V>(shape.width);
  if (!(y >= V(-1) && y <= height && x >= V(-1) && x <= width)) return corners;
  y = std::clamp(y, V(0), height - V(1));
  x = std::clamp(x, V(0), width - V(1));
  const auto top = static_cast<std::int64_t>(y);
  const auto left = static_cast<std::int64_t>(x);
  const std::int64_t bottom = std::min(top + 1, shape.height - 1);
  const std::int64_t right = std::min(left + 1, shape.width - 1);
  const V down = y - static_cast<V>(top);
  const V across = x - static_cast<V>(left);
  const std::int64_t index[4] = {top * shape.width + left, top * shape.width + right,
                                 bottom * shape.width + left, bottom * shape.width + right};
  const V weight[4] = {(V(1) - down) * (V(1) - across), (V(1) - down) * across,
                       down * (V(1) - across), down * across};
  std::copy_n(index, 4, corners.index);
  std::copy_n(weight, 4, corners.weight);
  return corners;
}

// One side of a region: its start, the size of a bin, and the number of samples per bin.
template <typename V>
struct RegionSide {
  V begin;
  V bin;
  std::int64_t samples;
};

template <typename V>
RegionSide<V> SideOf(const RegionShape& shape, V begin, V end, std::int64_t bins) {
  constexpr V kMaxSamples = 1024;  // per bin; limits the time that a hostile region can take
  const V scale = static_cast<V>(shape.scale);
  const V offset = shape.half_pixel ? V(0.5) : V(0);
  const V start = begin * scale - offset;
  V length = end * scale - offset - start;
  if (!shape.half_pixel) length = std::max(length, V(1));
  const V bin = length / static_cast<V>(bins);
  const V whole = std::ceil(bin);
  const V held = whole >= V(0) ? std::min(whole, kMaxSamples) : V(0);
  return {start, bin, shape.samples > 0 ? shape.samples : static_cast<std::int64_t>(held)};
}

template <typename T>
Computed<T> BinOf(const RegionShape& shape, const T* plane, const RegionSide<Computed<T>>& down,
                  const RegionSide<Computed<T>>& across, std::int64_t row, std::int64_t column) {
  using V = Computed<T>;
  V sum = 0;
  V max = 0;
  bool any = false;
  const auto at = [](const RegionSide<V>& side, std::int64_t bin, std::int64_t sample) {
    return side.begin + static_cast<V>(bin) * side.bin +
           (static_cast<V>(sample) + V(0.5)) * side.bin / static_cast<V>(side.samples);
  };
  for (std::int64_t i = 0; i < down.samples; ++i) {
    for (std::int64_t k = 0; k < across.samples; ++k) {
      const Corners<V> corners = CornersAt<V>(shape, at(down, row, i), at(across, column, k));
      for (std::size_t c = 0; c < 4; ++c) {
        const V weight = corners.weight[c];
        const V part = weight == V(0) ? V(0) : weight * Load(plane[corners.index[c]]);
        sum += part;
        max = any ? std::max(max, part) : part;
        any = true;
      }
    }
  }
  if (shape.max) return max;
  return sum / static_cast<V>(std::max<std::int64_t>(down.samples * across.samples, 1));
}

// Inputs: x, regions (n, 4: x1, y1, x2, y2), the batch of each region. An invalid batch gives
// zeros.
template <typename T>
void AlignRegions(const RegionShape& shape, const void* const* inputs, T* out) {
  const std::int64_t pixels = shape.height * shape.width;
  for (std::size_t region = 0; region < shape.regions; ++region) {
    const T* box = static_cast<const T*>(inputs[1]) + region * 4;
    const std::int64_t batch = CheckedIndex(IndexAt(inputs[2], shape.wide, region), shape.batches);
    const auto across = SideOf(shape, Load(box[0]), Load(box[2]), shape.columns);
    const auto down = SideOf(shape, Load(box[1]), Load(box[3]), shape.rows);
    for (std::size_t channel = 0; channel < shape.channels; ++channel) {
      for (std::int64_t bin = 0; bin < shape.rows * shape.columns; ++bin, ++out) {
        Store(*out, Computed<T>(0));
        if (batch < 0) continue;
        const T* plane = static_cast<const T*>(inputs[0]) +
                         (static_cast<std::size_t>(batch) * shape.channels + channel) *
                             static_cast<std::size_t>(pixels);
        Store(*out, BinOf<T>(shape, plane, down, across, bin / shape.columns, bin % shape.columns));
      }
    }
  }
}

// Parameters: rows, columns (of bins), samples, scale, half_pixel, max.
Prepared PrepareRoiAlign(const Call& call) {
  const Dimensions& x = call.Shape(0);
  if (x.size() != 4 || x[2] < 1 || x[3] < 1) return Refuse("its input is not N, C, H, W");
  const Dimensions regions = call.Has(1) ? call.Shape(1) : Dimensions{};
  if (regions.size() != 2 || regions[1] != 4 || call.Input(1).dtype != call.Input(0).dtype ||
      !HasIndices(call, 2) || call.Shape(2) != Dimensions{regions[0]}) {
    return Refuse("its regions do not have four coordinates and a batch each");
  }
  RegionShape shape;
  shape.batches = x[0];
  shape.channels = static_cast<std::size_t>(x[1]);
  shape.height = x[2];
  shape.width = x[3];
  shape.regions = static_cast<std::size_t>(regions[0]);
  shape.rows = call.parameters.Integer("rows", 1);
  shape.columns = call.parameters.Integer("columns", 1);
  shape.samples = call.parameters.Integer("samples", 0);
  shape.scale = call.parameters.Number("scale", 1);
  shape.half_pixel = call.parameters.Integer("half_pixel", 1) != 0;
  shape.max = call.parameters.Integer("max", 0) != 0;
  shape.wide = call.Input(2).dtype == Dtype::kInt64;
  if (shape.rows < 1 || shape.columns < 1 || shape.samples < 0 || shape.samples > 1024) {
    return Refuse("its bins or samples are out of range");
  }
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, {regions[0], x[1], shape.rows, shape.columns}}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
      AlignRegions(shape, inputs, static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(RoiAlign, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("rows")
    .Reads("columns")
    .Reads("samples")
    .Reads("scale")
    .Reads("half_pixel")
    .Reads("max")
    .Run(&PrepareRoiAlign);

}  // namespace
}  // namespace opledger
