// BatchNorm by rows: of one channel, or, where channels are last, of all of them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;

struct BatchNormShape {
  std::size_t images = 1;    // rows before the channels
  std::size_t channels = 1;  // numbers of each statistic
  std::size_t pixels = 1;    // of a channel: 1 where they are last
  float epsilon = 0;
  Dtype dtype = Dtype::kFloat32;
  Dtype scale = Dtype::kFloat32;  // of scale and shift
  Dtype moments = Dtype::kFloat32;
};

// Upcast: mean, factor, shift, a row of each.
void ReadStatistics(const BatchNormShape& shape, const void* const* inputs, float* statistics) {
  const std::size_t n = shape.channels;
  arithmetic::Upcast(shape.moments, inputs[3], statistics, n);
  arithmetic::Upcast(shape.moments, inputs[4], statistics + n, n);
  arithmetic::Upcast(shape.scale, inputs[1], statistics + 2 * n, n);
  for (std::size_t i = 0; i < n; ++i) {
    float& factor = statistics[n + i];
    factor = statistics[2 * n + i] / arithmetic::Sqrt(factor + shape.epsilon);
  }
  arithmetic::Upcast(shape.scale, inputs[2], statistics + 2 * n, n);
}

void RunChannelsLast(const BatchNormShape& shape, const float* statistics, const void* in,
                     void* out, float* buffer, std::size_t begin, std::size_t end) {
  const std::size_t n = shape.channels;
  for (std::size_t image = begin; image < end; ++image) {
    const float* row = LoadRow(shape.dtype, in, image * n, n, buffer);
    float* result = ResultRow(shape.dtype, out, image * n, buffer);
    arithmetic::Rows().affine(row, statistics, statistics + n, statistics + 2 * n, result, n);
    StoreRow(shape.dtype, result, out, image * n, n);
  }
}

void RunChannelsFirst(const BatchNormShape& shape, const float* statistics, const void* in,
                      void* out, std::size_t begin, std::size_t end) {
  float tile[kTileSize];
  for (std::size_t row = begin; row < end; ++row) {
    const float* of_channel = statistics + row % shape.channels;
    for (std::size_t done = 0; done < shape.pixels; done += kTileSize) {
      const std::size_t some = std::min(kTileSize, shape.pixels - done);
      const std::size_t at = row * shape.pixels + done;
      const float* from = LoadRow(shape.dtype, in, at, some, tile);
      float* to = ResultRow(shape.dtype, out, at, tile);
      Apply(Pair::kSub, from, of_channel[0], to, some);
      Apply(Pair::kMul, to, of_channel[shape.channels], to, some);
      Apply(Pair::kAdd, to, of_channel[2 * shape.channels], to, some);
      StoreRow(shape.dtype, to, out, at, some);
    }
  }
}

// As the reference's.
Prepared PrepareVectorBatchNorm(const Call& call) {
  const ChosenKernel reference = ChooseKernel("BatchNorm", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dimensions& of = call.Shape(0);
  const std::size_t axis = ChannelsLast(call) ? of.size() - 1 : 1;
  BatchNormShape shape;
  shape.images = Elements({of.begin(), of.begin() + static_cast<std::ptrdiff_t>(axis)});
  shape.channels = static_cast<std::size_t>(of[axis]);
  shape.pixels = Elements({of.begin() + static_cast<std::ptrdiff_t>(axis) + 1, of.end()});
  shape.epsilon = static_cast<float>(call.parameters.Number("epsilon", 1e-5));
  shape.dtype = call.Input(0).dtype;
  shape.scale = call.Input(1).dtype;
  shape.moments = call.Input(3).dtype;
  if (shape.scale == Dtype::kFloat64 || shape.moments == Dtype::kFloat64) {
    return Refuse("its statistics are float64");
  }
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.workspace = (Threads() + 3) * shape.channels * sizeof(float);
  prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
    auto* statistics = static_cast<float*>(workspace);
    ReadStatistics(shape, inputs, statistics);
    const bool last = shape.pixels == 1;
    const std::size_t rows = last ? shape.images : shape.images * shape.channels;
    const std::size_t length = last ? shape.channels : shape.pixels;
    ForParts(rows, kPartSize / std::max<std::size_t>(length, 1) + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               if (last) {
                 float* buffer = statistics + (part + 3) * shape.channels;
                 RunChannelsLast(shape, statistics, inputs[0], outputs[0], buffer, begin, end);
               } else {
                 RunChannelsFirst(shape, statistics, inputs[0], outputs[0], begin, end);
               }
             });
  };
  return prepared;
}

OPLEDGER_KERNEL(BatchNorm, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp")
    .Priority(10)
    .Run(&PrepareVectorBatchNorm);

}  // namespace
}  // namespace opledger
