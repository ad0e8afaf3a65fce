// Computes each position in tiles of channels; taps outside the image read zeros.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/depthwise.h"

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/contraction/fused_rows.h"
#include "kernels/vector/contraction/tap_weights.h"
#include "kernels/vector/rows/strided_row.h"
#include "kernels/vector/rows/window_iterator.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxTaps = 512;
constexpr std::size_t kChannels = 512;  // per tile

struct Depthwise {
  Window window;
  FusedRows fused;
  Dtype dtype = Dtype::kFloat32;
  std::size_t positions = 0;  // in all images
  std::size_t channels = 1;
  std::size_t tile = 1;
  std::vector<std::int64_t> pixels;  // offset of each tap from the first one
  TapWeights weights;

  // Floats per thread: sums, zeros, and upcast rows.
  std::size_t Workspace() const {
    return tile * (2 + (dtype == Dtype::kFloat32 ? 0 : window.Taps()));
  }
  void FindRows(const void* in, const WindowIterator& place, std::size_t position,
                std::size_t channel, std::size_t n, float* own, const float** rows) const;
  void RunPosition(const void* const* inputs, const float* packed, void* out,
                   const WindowIterator& place, std::size_t position, float* own) const;
  void Run(const void* const* inputs, void* out, float* workspace) const;
};

// Finds channels `channel` to `channel` + n of all taps.
void Depthwise::FindRows(const void* in, const WindowIterator& place, std::size_t position,
                         std::size_t channel, std::size_t n, float* own, const float** rows) const {
  const auto find = [&](std::size_t tap, std::size_t pixel) {
    rows[tap] = LoadRow(dtype, in, pixel * channels + channel, n, own + (2 + tap) * tile);
  };
  if (place.IsInside()) {
    const std::int64_t first = place.Pixel();
    for (std::size_t tap = 0; tap < pixels.size(); ++tap) {
      find(tap, static_cast<std::size_t>(first + pixels[tap]));
    }
    return;
  }
  const std::size_t image = static_cast<std::size_t>(place.image()) * Elements(window.input);
  std::fill_n(rows, pixels.size(), own + tile);
  ForEachTap(window, position % window.Positions(),
             [&](std::size_t tap, std::size_t pixel) { find(tap, image + pixel); });
}

void Depthwise::RunPosition(const void* const* inputs, const float* packed, void* out,
                            const WindowIterator& place, std::size_t position, float* own) const {
  const float* rows[kMaxTaps];
  for (std::size_t channel = 0; channel < channels; channel += tile) {
    const std::size_t some = std::min(tile, channels - channel);
    FindRows(inputs[0], place, position, channel, some, own, rows);
    arithmetic::Products().by_channel(pixels.size(), rows, packed + channel, channels, own, some);
    fused.Finish(inputs, channel, own, out, position * channels + channel, some);
  }
}

void Depthwise::Run(const void* const* inputs, void* out, float* workspace) const {
  const float* packed = weights.Packed(inputs, workspace + Threads() * Workspace());
  ForParts(positions, kPartSize / (channels * window.Taps()) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t part) {
             float* own = workspace + part * Workspace();
             std::fill_n(own + tile, tile, 0.0F);
             WindowIterator place(window, begin);
             for (std::size_t position = begin; position < end; ++position, place.Advance()) {
               RunPosition(inputs, packed, out, place, position, own);
             }
           });
}

}  // namespace

Prepared PrepareDepthwise(const Call& call, const Window& window, const TensorType& result) {
  if (window.Taps() > kMaxTaps) return Refuse("its window is too large");
  Depthwise depthwise;
  depthwise.window = window;
  depthwise.pixels = TapPixels(window);
  depthwise.dtype = call.Input(0).dtype;
  depthwise.channels = static_cast<std::size_t>(result.dimensions.back());
  depthwise.positions = Elements(result.dimensions) / depthwise.channels;
  depthwise.tile = std::min(kChannels, depthwise.channels);
  depthwise.fused = FusedRowsOf(call, false);
  if (depthwise.fused.unknown_activation) return Refuse("its activation is not supported");
  depthwise.weights = {depthwise.dtype, window.Taps(), 1, depthwise.channels, nullptr};
  Prepared prepared;
  prepared.outputs = {result};
  prepared.workspace = Threads() * depthwise.Workspace() * sizeof(float);
  depthwise.weights.Prepare(call, prepared);
  prepared.run = [depthwise = std::move(depthwise)](const void* const* inputs, void* const* outputs,
                                                    void* workspace) {
    depthwise.Run(inputs, outputs[0], static_cast<float*>(workspace));
  };
  return prepared;
}

}  // namespace opledger
