// MaxPool and AveragePool with channels last, by rows of channels.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/window/window.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/vector/rows/rows.h"
#include "kernels/vector/rows/window_iterator.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxPooledRows = 512;  // rows at a time

struct PooledRows {
  Window window;
  std::vector<std::int64_t> pixels;  // offset of each tap from the first one
  std::size_t images = 0;
  std::size_t channels = 0;
  bool count_pads = false;
  bool averages = false;
  Dtype dtype = Dtype::kFloat32;

  // Floats per thread: a result, and upcast rows.
  std::size_t Workspace() const {
    const std::size_t rows = std::min(pixels.size(), kMaxPooledRows);
    return dtype == Dtype::kFloat32 ? 0 : channels * (1 + rows);
  }
  template <typename Use>
  void ForEachPixel(const WindowIterator& place, std::size_t at, const Use& use) const;
  void Run(const void* in, void* out, const WindowIterator& place, std::size_t at,
           float* own) const;
};

// Calls `use` for each tap that is inside the image.
template <typename Use>
void PooledRows::ForEachPixel(const WindowIterator& place, std::size_t at, const Use& use) const {
  if (place.IsInside()) {
    const std::int64_t first = place.Pixel();
    for (const std::int64_t pixel : pixels) use(static_cast<std::size_t>(first + pixel));
  } else {
    const std::size_t image = static_cast<std::size_t>(place.image()) * Elements(window.input);
    ForEachTap(window, at % window.Positions(),
               [&](std::size_t, std::size_t pixel) { use(image + pixel); });
  }
}

// Computes all channels at a position. A large window is handled some rows at a time; the result of
// one batch is the first row of the next.
void PooledRows::Run(const void* in, void* out, const WindowIterator& place, std::size_t at,
                     float* own) const {
  const float* rows[kMaxPooledRows];
  std::size_t count = 0;
  std::size_t taps = 0;
  const auto& loops = arithmetic::Rows();
  float* result = ResultRow(dtype, out, at * channels, own);
  const auto pool = [&] {
    (averages ? loops.sum_of_rows : loops.max_of_rows)(rows, count, result, channels);
  };
  ForEachPixel(place, at, [&](std::size_t pixel) {
    if (count == kMaxPooledRows) {
      pool();
      rows[0] = result;
      count = 1;
    }
    rows[count] = LoadRow(dtype, in, pixel * channels, channels, own + (1 + count) * channels);
    ++count;
    ++taps;
  });
  pool();
  if (averages) {
    const std::size_t pads = count_pads ? TapsWithPads(window, at % window.Positions()) : taps;
    const auto divisor = static_cast<float>(std::max<std::size_t>(pads, 1));  // pads only: 0
    arithmetic::Apply(arithmetic::Pair::kDiv, result, divisor, result, channels);
  }
  StoreRow(dtype, result, out, at * channels, channels);
}

template <bool kAverages>
Prepared PrepareVectorPool(const Call& call) {
  Call seen = call;
  seen.inputs[0]->dimensions = ToChannelsFirst(call.Shape(0));
  PooledRows rows;
  const auto window = ReadPoolWindow(seen);
  if (!window) return Refuse(window.status());
  if (window->Rank() == 0 || window->Rank() > kMaxWindowRank) {
    return Refuse("it has no spatial dimensions, or too many");
  }
  rows.window = *window;
  rows.pixels = TapPixels(*window);
  rows.images = static_cast<std::size_t>(call.Shape(0)[0]);
  rows.channels = static_cast<std::size_t>(call.Shape(0).back());
  rows.count_pads = kAverages && call.parameters.Integer("count_pads", 0) != 0;
  rows.averages = kAverages;
  rows.dtype = call.Input(0).dtype;
  TensorType result{rows.dtype, {call.Shape(0)[0]}};
  result.dimensions.insert(result.dimensions.end(), window->output.begin(), window->output.end());
  result.dimensions.push_back(call.Shape(0).back());
  Prepared prepared;
  prepared.outputs = {result};
  prepared.workspace = Threads() * rows.Workspace() * sizeof(float);
  const std::size_t work = rows.channels * rows.window.Taps();
  prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
    ForParts(rows.images * rows.window.Positions(), kPartSize / std::max<std::size_t>(work, 1) + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               float* own = static_cast<float*>(workspace) + part * rows.Workspace();
               WindowIterator place(rows.window, begin);
               for (std::size_t at = begin; at < end; ++at, place.Advance()) {
                 rows.Run(inputs[0], outputs[0], place, at, own);
               }
             });
  };
  return prepared;
}

bool PoolsChannelsSecond(const Call& call) { return !ChannelsLast(call); }

OPLEDGER_KERNEL(MaxPool, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .ErrorBound("exact")
    .Refuses("its channels are not last", &PoolsChannelsSecond)
    .By("vector")
    .Run(&PrepareVectorPool<false>);
OPLEDGER_KERNEL(AveragePool, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Refuses("its channels are not last", &PoolsChannelsSecond)
    .By("vector")
    .Run(&PrepareVectorPool<true>);

}  // namespace
}  // namespace opledger
