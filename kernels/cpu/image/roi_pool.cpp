// RoiPool: the maximum of each bin of a region, whose borders are rounded to pixels.
// https://arxiv.org/abs/1504.08083; MXNet's src/operator/roi_pooling.cc.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct PooledRegions {
  std::int64_t batches = 0;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t regions = 0;
  std::int64_t rows = 0;  // of bins
  std::int64_t columns = 0;
  float scale = 1;
};

// A range of pixels in one dimension.
struct PixelRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Rounds to a pixel. NaN and values that are too large give a pixel far beyond any image.
std::int64_t PixelOf(float at) {
  constexpr float kMax = 1 << 28;
  return static_cast<std::int64_t>(std::round(at >= -kMax ? std::min(at, kMax) : -kMax));
}

PixelRange BinRange(std::int64_t first, std::int64_t last, std::int64_t bin, std::int64_t bins,
                    std::int64_t size) {
  const float share =
      static_cast<float>(std::max<std::int64_t>(last - first + 1, 1)) / static_cast<float>(bins);
  const auto begin = static_cast<std::int64_t>(std::floor(static_cast<float>(bin) * share));
  const auto end = static_cast<std::int64_t>(std::ceil(static_cast<float>(bin + 1) * share));
  return {std::clamp<std::int64_t>(begin + first, 0, size),
          std::clamp<std::int64_t>(end + first, 0, size)};
}

template <typename T>
void PoolRegions(const PooledRegions& shape, const T* in, const T* regions, T* out) {
  using V = Computed<T>;
  for (std::int64_t region = 0; region < shape.regions; ++region) {
    const T* box = regions + region * 5;
    const auto border = [&](int i) {
      return PixelOf(static_cast<float>(Load(box[i])) * shape.scale);
    };
    const auto batch = static_cast<std::int64_t>(PixelOf(static_cast<float>(Load(box[0]))));
    const bool there = batch >= 0 && batch < shape.batches;
    for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
      const T* plane =
          in + (there ? (batch * shape.channels + channel) * shape.height * shape.width : 0);
      for (std::int64_t bin = 0; bin < shape.rows * shape.columns; ++bin, ++out) {
        const PixelRange down =
            BinRange(border(2), border(4), bin / shape.columns, shape.rows, shape.height);
        const PixelRange across =
            BinRange(border(1), border(3), bin % shape.columns, shape.columns, shape.width);
        V most = 0;
        bool any = false;
        for (std::int64_t y = down.begin; there && y < down.end; ++y) {
          for (std::int64_t x = across.begin; x < across.end; ++x) {
            const V value = Load(plane[y * shape.width + x]);
            most = any ? std::max(most, value) : value;
            any = true;
          }
        }
        Store(*out, most);
      }
    }
  }
}

// Inputs: x, regions (n, 5: batch, x1, y1, x2, y2). Parameters: rows, columns (of bins), scale. An
// invalid batch and bins without pixels give zeros.
Prepared PrepareRoiPool(const Call& call) {
  const Dimensions& x = call.Shape(0);
  const Dimensions& regions = call.Shape(1);
  if (x.size() != 4) return Refuse("its input is not N, C, H, W");
  if (regions.size() != 2 || regions[1] != 5 || call.Input(1).dtype != call.Input(0).dtype) {
    return Refuse("its regions do not have five elements each");
  }
  PooledRegions shape;
  shape.batches = x[0];
  shape.channels = x[1];
  shape.height = x[2];
  shape.width = x[3];
  shape.regions = regions[0];
  shape.rows = call.parameters.Integer("rows", 1);
  shape.columns = call.parameters.Integer("columns", 1);
  shape.scale = static_cast<float>(call.parameters.Number("scale", 1));
  if (shape.rows < 1 || shape.columns < 1) return Refuse("its bins are not positive");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, {regions[0], x[1], shape.rows, shape.columns}}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
      PoolRegions(shape, static_cast<const T*>(inputs[0]), static_cast<const T*>(inputs[1]),
                  static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(RoiPool, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .ErrorBound("exact")
    .Reads("rows")
    .Reads("columns")
    .Reads("scale")
    .Run(&PrepareRoiPool);

}  // namespace
}  // namespace opledger
