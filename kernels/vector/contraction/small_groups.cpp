// Convolves small groups: each row of the image is upcast once and spread to as many rows of output
// channels as a group has input channels: element j of row i is the i-th channel of the group of
// output j. A position is then a sum over taps and those rows, by channels. The last rows of the
// image that a window covers are kept.
//   groups of 2: pixel a b c d -> a a c c, b b d d
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/small_groups.h"

#include <algorithm>
#include <numeric>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/contraction/fused_rows.h"
#include "kernels/vector/contraction/tap_weights.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxSumRows = 512;             // per sum: taps times channels of a group
constexpr std::size_t kMaxKeptRows = 64;             // of the image
constexpr std::size_t kVector = 16;                  // floats
constexpr std::size_t kKept = std::size_t{1} << 16;  // elements of kept rows: half of a cache
constexpr std::size_t kMaxKept = kKept << 4;

struct SmallGroups {
  Window window;
  FusedRows fused;
  Dtype dtype = Dtype::kFloat32;
  std::size_t images = 0;
  std::size_t channels = 0;  // of the image
  std::size_t outputs = 0;
  std::size_t group_inputs = 1;
  std::size_t group_outputs = 1;
  std::size_t tile = 0;  // output channels per tile
  std::size_t kept_rows = 0;
  TapWeights weights;

  std::size_t PixelSize() const { return group_inputs * tile; }
  std::size_t RowSize() const { return static_cast<std::size_t>(window.input[1]) * PixelSize(); }
  std::size_t Wide() const { return tile / group_outputs * group_inputs + group_inputs; }
  // Floats per thread: sums, zeros, the channels of a pixel, and rows.
  std::size_t Workspace() const { return 2 * tile + Wide() + kept_rows * RowSize(); }
  std::size_t SumRows() const { return window.Taps() * group_inputs; }

  template <std::size_t kOutputs>
  void Spread(const float* wide, std::size_t n, float* to) const;
  void TakePixel(const void* in, std::size_t pixel, std::size_t channel, std::size_t n, float* wide,
                 float* to) const;
  void TakeRow(const void* in, std::size_t row, std::size_t channel, std::size_t n, float* wide,
               float* to) const;
  void RunTile(const void* const* inputs, const float* packed, void* out, std::size_t begin,
               std::size_t end, std::size_t channel, float* own) const;
  void Run(const void* const* inputs, void* out, float* workspace) const;
};

// kOutputs: output channels of a group; 0: any number.
template <std::size_t kOutputs>
void SmallGroups::Spread(const float* wide, std::size_t n, float* to) const {
  const std::size_t each = kOutputs == 0 ? group_outputs : kOutputs;
  for (std::size_t i = 0; i < group_inputs; ++i, to += tile) {
    const float* from = wide + i;
    for (std::size_t at = 0; at < n; at += each, from += group_inputs) {
      for (std::size_t k = 0; k < each; ++k) to[at + k] = *from;
    }
  }
}

// For outputs `channel` to `channel` + n, which are whole groups.
void SmallGroups::TakePixel(const void* in, std::size_t pixel, std::size_t channel, std::size_t n,
                            float* wide, float* to) const {
  const std::size_t at = pixel * channels + channel / group_outputs * group_inputs;
  const std::size_t count = n / group_outputs * group_inputs;
  const float* row = LoadRow(dtype, in, at, count, wide);
  if (group_outputs == 1) return Spread<1>(row, n, to);
  if (group_outputs == 2) return Spread<2>(row, n, to);
  if (group_outputs == 4) return Spread<4>(row, n, to);
  Spread<0>(row, n, to);
}

void SmallGroups::TakeRow(const void* in, std::size_t row, std::size_t channel, std::size_t n,
                          float* wide, float* to) const {
  const auto width = static_cast<std::size_t>(window.input[1]);
  for (std::size_t x = 0; x < width; ++x) {
    TakePixel(in, row * width + x, channel, n, wide, to + x * PixelSize());
  }
}

// Rows `begin` to `end` of the results of all images, for outputs from `channel` on.
void SmallGroups::RunTile(const void* const* inputs, const float* packed, void* out,
                          std::size_t begin, std::size_t end, std::size_t channel,
                          float* own) const {
  const std::size_t n = std::min(tile, outputs - channel);
  float* zeros = own + tile;
  float* wide = zeros + tile;
  float* kept = wide + Wide();
  std::int64_t there[kMaxKeptRows];
  std::fill_n(there, kept_rows, std::int64_t{-1});
  const float* rows[kMaxSumRows];
  const auto out_rows = static_cast<std::size_t>(window.output[0]);
  const auto out_width = static_cast<std::size_t>(window.output[1]);
  for (std::size_t row = begin; row < end; ++row) {
    const auto image = static_cast<std::int64_t>(row / out_rows);
    const std::int64_t top =
        static_cast<std::int64_t>(row % out_rows) * window.strides[0] - window.begin[0];
    for (std::int64_t y = 0; y < window.kernel[0]; ++y) {
      const std::int64_t at = top + y * window.dilations[0];
      if (at < 0 || at >= window.input[0]) continue;
      const std::size_t slot = static_cast<std::size_t>(at) % kept_rows;
      const std::int64_t whole = image * window.input[0] + at;
      if (there[slot] == whole) continue;
      there[slot] = whole;
      TakeRow(inputs[0], static_cast<std::size_t>(whole), channel, n, wide,
              kept + slot * RowSize());
    }
    for (std::size_t x = 0; x < out_width; ++x) {
      const std::int64_t left = static_cast<std::int64_t>(x) * window.strides[1] - window.begin[1];
      const float** to = rows;
      for (std::int64_t y = 0; y < window.kernel[0]; ++y) {
        const std::int64_t at = top + y * window.dilations[0];
        const bool row_inside = at >= 0 && at < window.input[0];
        const float* line =
            row_inside ? kept + static_cast<std::size_t>(at) % kept_rows * RowSize() : nullptr;
        for (std::int64_t k = 0; k < window.kernel[1]; ++k) {
          const std::int64_t column = left + k * window.dilations[1];
          const bool inside = row_inside && column >= 0 && column < window.input[1];
          const float* pixel =
              inside ? line + static_cast<std::size_t>(column) * PixelSize() : zeros;
          for (std::size_t i = 0; i < group_inputs; ++i) *to++ = inside ? pixel + i * tile : zeros;
        }
      }
      arithmetic::Products().by_channel(SumRows(), rows, packed + channel, outputs, own, n);
      fused.Finish(inputs, channel, own, out, (row * out_width + x) * outputs + channel, n);
    }
  }
}

void SmallGroups::Run(const void* const* inputs, void* out, float* workspace) const {
  const float* packed = weights.Packed(inputs, workspace + Threads() * Workspace());
  const auto rows = static_cast<std::size_t>(window.output[0]);
  const std::size_t work = static_cast<std::size_t>(window.output[1]) * outputs * SumRows();
  ForParts(images * rows, kPartSize / (work + 1) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t part) {
             float* own = workspace + part * Workspace();
             std::fill_n(own + tile, tile, 0.0F);
             for (std::size_t channel = 0; channel < outputs; channel += tile) {
               RunTile(inputs, packed, out, begin, end, channel, own);
             }
           });
}

// Returns the output channels of a tile: whole groups and whole vectors, as many as let the rows
// fit into a cache.
std::size_t TileOf(const SmallGroups& groups) {
  const std::size_t min = std::lcm(groups.group_outputs, kVector);
  const std::size_t line =
      groups.kept_rows * static_cast<std::size_t>(groups.window.input[1]) * groups.group_inputs;
  const std::size_t max = std::min(kKept / std::max<std::size_t>(line, 1), groups.outputs);
  return std::max(min, max / min * min);
}

}  // namespace

bool AreSmallGroups(const Window& window, std::size_t groups, std::size_t inputs,
                    std::size_t outputs) {
  // Measured on AVX-512: for 4 outputs up to five times as fast as products; for 8, no clear gain.
  constexpr std::size_t kMaxOutputs = 4;
  const bool depthwise = inputs == 1 && outputs == 1;
  return window.Rank() == 2 && groups > 1 && !depthwise && inputs <= kVector &&
         outputs <= kMaxOutputs;
}

Prepared PrepareSmallGroups(const Call& call, const Window& window, const TensorType& result) {
  const auto groups = static_cast<std::size_t>(call.parameters.Integer("groups", 1));
  SmallGroups small;
  small.window = window;
  small.dtype = call.Input(0).dtype;
  small.images = static_cast<std::size_t>(call.Shape(0)[0]);
  small.channels = static_cast<std::size_t>(call.Shape(0).back());
  small.outputs = static_cast<std::size_t>(result.dimensions.back());
  small.group_inputs = small.channels / groups;
  small.group_outputs = small.outputs / groups;
  const std::int64_t covered = (window.kernel[0] - 1) * window.dilations[0] + 1;
  if (covered > static_cast<std::int64_t>(kMaxKeptRows) || small.SumRows() > kMaxSumRows) {
    return Refuse("its window is too large");
  }
  small.kept_rows = static_cast<std::size_t>(covered);
  small.tile = TileOf(small);
  if (small.kept_rows * small.RowSize() > kMaxKept) return Refuse("its rows are too long");
  small.fused = FusedRowsOf(call, false);
  if (small.fused.unknown_activation) return Refuse("its activation is not supported");
  small.weights = {small.dtype, window.Taps(), small.group_inputs, small.outputs, nullptr};
  Prepared prepared;
  prepared.outputs = {result};
  prepared.workspace = Threads() * small.Workspace() * sizeof(float);
  small.weights.Prepare(call, prepared);
  prepared.run = [small = std::move(small)](const void* const* inputs, void* const* outputs,
                                            void* workspace) {
    small.Run(inputs, outputs[0], static_cast<float*>(workspace));
  };
  return prepared;
}

}  // namespace opledger
