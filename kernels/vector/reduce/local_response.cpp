// LocalResponseNorm by rows: of the pixels of one channel or, with channels last, of the channels
// of one pixel. Each element is squared once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;
using arithmetic::Unary;

struct ResponseRows {
  std::size_t images = 1;
  std::size_t channels = 1;
  std::size_t pixels = 1;
  std::size_t before = 0;  // channels before the current one
  std::size_t after = 0;
  float alpha = 0;
  float beta = 0;
  float bias = 0;
  Dtype dtype = Dtype::kFloat32;

  std::size_t Taps() const { return before + 1 + after; }
  void Finish(const float* in, float* sums, float* out, std::size_t n) const;
  void RunPixel(const void* in, void* out, std::size_t pixel, float* buffer) const;
  void RunTile(const void* in, void* out, std::size_t image, std::size_t first, std::size_t n,
               float* buffer) const;
};

// out = in / (bias + alpha * sums) ^ beta
void ResponseRows::Finish(const float* in, float* sums, float* out, std::size_t n) const {
  Apply(Pair::kMul, sums, alpha, sums, n);
  Apply(Pair::kAdd, sums, bias, sums, n);
  arithmetic::Rows().power(sums, beta, sums, n);
  Apply(Pair::kDiv, in, sums, out, n);
}

// Computes all channels of a pixel: pads their squares with zeros, then adds shifted copies, one
// for each tap. Additional zeros do not change a sum of squares.
void ResponseRows::RunPixel(const void* in, void* out, std::size_t pixel, float* buffer) const {
  const std::size_t n = channels;
  float* squares = buffer;
  float* sums = squares + before + n + after;
  float* wide = sums + n;
  const float* x = LoadRow(dtype, in, pixel * n, n, wide);
  std::fill_n(squares, before, 0.0F);
  Apply(Unary::kSquare, x, squares + before, n);
  std::fill_n(squares + before + n, after, 0.0F);
  std::copy_n(squares, n, sums);
  for (std::size_t tap = 1; tap < Taps(); ++tap) {
    Apply(Pair::kAdd, sums, squares + tap, sums, n);
  }
  float* result = ResultRow(dtype, out, pixel * n, wide);
  Finish(x, sums, result, n);
  StoreRow(dtype, result, out, pixel * n, n);
}

// Computes pixels `first` to `first` + n of an image, channel by channel. Keeps the squares of the
// surrounding channels: channel k is in row k mod Taps().
void ResponseRows::RunTile(const void* in, void* out, std::size_t image, std::size_t first,
                           std::size_t n, float* buffer) const {
  float* sums = buffer;
  float* wide = sums + n;
  float* squares = wide + n;
  const auto place = [&](std::size_t channel) {
    return (image * channels + channel) * pixels + first;
  };
  std::size_t squared = 0;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::size_t end = std::min(channels, channel + after + 1);
    for (; squared < end; ++squared) {
      const float* x = LoadRow(dtype, in, place(squared), n, wide);
      Apply(Unary::kSquare, x, squares + squared % Taps() * n, n);
    }
    const std::size_t begin = channel - std::min(channel, before);
    std::copy_n(squares + begin % Taps() * n, n, sums);
    for (std::size_t k = begin + 1; k < end; ++k) {
      Apply(Pair::kAdd, sums, squares + k % Taps() * n, sums, n);
    }
    const float* x = LoadRow(dtype, in, place(channel), n, wide);
    float* result = ResultRow(dtype, out, place(channel), wide);
    Finish(x, sums, result, n);
    StoreRow(dtype, result, out, place(channel), n);
  }
}

Step StepByPixel(const ResponseRows& rows, std::size_t buffer) {
  return [=](const void* const* inputs, void* const* outputs, void* workspace) {
    ForParts(rows.images * rows.pixels, kPartSize / 8 / rows.channels + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               float* own = static_cast<float*>(workspace) + part * buffer;
               for (std::size_t pixel = begin; pixel < end; ++pixel) {
                 rows.RunPixel(inputs[0], outputs[0], pixel, own);
               }
             });
  };
}

Step StepByTile(const ResponseRows& rows, std::size_t tile, std::size_t buffer) {
  return [=](const void* const* inputs, void* const* outputs, void* workspace) {
    const std::size_t tiles = (rows.pixels + tile - 1) / tile;
    ForParts(rows.images * tiles, kPartSize / 8 / (rows.channels * tile) + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               float* own = static_cast<float*>(workspace) + part * buffer;
               for (std::size_t at = begin; at < end; ++at) {
                 const std::size_t first = at % tiles * tile;
                 rows.RunTile(inputs[0], outputs[0], at / tiles, first,
                              std::min(tile, rows.pixels - first), own);
               }
             });
  };
}

// Takes the parameters of the reference.
Prepared PrepareVectorLocalResponse(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const std::int64_t size = call.parameters.Integer("size", 1);
  if (shape.size() < 3 || size < 1)
    return Refuse("its input has no channels, or its size is not positive");
  if (Elements(shape) == 0) return Refuse("it has an empty tensor");
  const bool last = ChannelsLast(call);
  ResponseRows rows;
  rows.images = static_cast<std::size_t>(shape[0]);
  rows.channels = static_cast<std::size_t>(last ? shape.back() : shape[1]);
  rows.pixels = Elements(shape) / (rows.images * rows.channels);
  rows.before = std::min(static_cast<std::size_t>(size - 1) / 2, rows.channels);
  rows.after = std::min(static_cast<std::size_t>(size) / 2, rows.channels);
  rows.alpha =
      static_cast<float>(call.parameters.Number("alpha", 1e-4) / static_cast<double>(size));
  rows.beta = static_cast<float>(call.parameters.Number("beta", 0.75));
  rows.bias = static_cast<float>(call.parameters.Number("bias", 1));
  rows.dtype = call.Input(0).dtype;
  constexpr std::size_t kPixels = 512;
  const std::size_t tile = std::min(kPixels, rows.pixels);
  const std::size_t buffer =
      last ? 3 * rows.channels + rows.before + rows.after : (2 + rows.Taps()) * tile;
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.workspace = Threads() * buffer * sizeof(float);
  prepared.run = last ? StepByPixel(rows, buffer) : StepByTile(rows, tile, buffer);
  return prepared;
}

OPLEDGER_KERNEL(LocalResponseNorm, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .By("vector")
    .Run(&PrepareVectorLocalResponse);

}  // namespace
}  // namespace opledger
