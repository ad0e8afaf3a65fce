// MaxPool and AveragePool where channels are last: by rows of channels.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/arithmetic/row_loops.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/pool_taps.h"
#include "kernels/cpu/window.h"
#include "kernels/vector/rows.h"

namespace opledger {
namespace {

using arithmetic::Pair;

struct PooledRows {
  Window window;
  std::size_t images = 0;
  std::size_t channels = 0;
  bool count_pads = false;
  bool averages = false;
  Dtype dtype = Dtype::kFloat32;

  void Run(const void* in, void* out, std::size_t at, float* row, float* buffer) const;
};

// A position of an image: all its channels.
void PooledRows::Run(const void* in, void* out, std::size_t at, float* row, float* buffer) const {
  const std::size_t positions = window.Positions();
  const std::size_t image = at / positions;
  const std::size_t pixels = Elements(window.input);
  const auto& loops = arithmetic::Rows();
  const auto join = loops.pairs[static_cast<std::size_t>(averages ? Pair::kAdd : Pair::kMax)][0];
  std::size_t taps = 0;
  float* result = ResultRow(dtype, out, at * channels, row);
  std::fill_n(result, channels, averages ? 0.0F : -std::numeric_limits<float>::infinity());
  ForEachTap(window, at % positions, [&](std::size_t, std::size_t pixel) {
    const float* each = WideRow(dtype, in, (image * pixels + pixel) * channels, channels, buffer);
    join(result, each, result, channels);
    ++taps;
  });
  if (averages) {
    const auto count = static_cast<float>(count_pads ? TapsWithPads(window, at % positions) : taps);
    loops.pairs[static_cast<std::size_t>(Pair::kDiv)][1](result, &count, result, channels);
  }
  StoreRow(dtype, result, out, at * channels, channels);
}

template <bool kAverages>
Prepared PrepareVectorPool(const Call& call) {
  Call seen = call;
  seen.inputs[0]->dimensions = ToChannelsFirst(call.Shape(0));
  PooledRows rows;
  std::string problem;
  const auto window = ReadWindow(seen, problem);
  if (!window) return Refuse(problem);
  rows.window = *window;
  rows.images = static_cast<std::size_t>(call.Shape(0)[0]);
  rows.channels = static_cast<std::size_t>(call.Shape(0).back());
  rows.count_pads = call.parameters.Integer("count_pads", 0) != 0;
  rows.averages = kAverages;
  rows.dtype = call.Input(0).dtype;
  TensorType result{rows.dtype, {call.Shape(0)[0]}};
  result.dimensions.insert(result.dimensions.end(), window->output.begin(), window->output.end());
  result.dimensions.push_back(call.Shape(0).back());
  Prepared prepared;
  prepared.outputs = {result};
  prepared.workspace = Threads() * 2 * rows.channels * sizeof(float);
  const std::size_t work = rows.channels * rows.window.Taps();
  prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
    ForParts(rows.images * rows.window.Positions(), kPartSize / std::max<std::size_t>(work, 1) + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               float* buffer = static_cast<float*>(workspace) + part * 2 * rows.channels;
               for (std::size_t at = begin; at < end; ++at) {
                 rows.Run(inputs[0], outputs[0], at, buffer, buffer + rows.channels);
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
    .Priority(10)
    .Run(&PrepareVectorPool<false>);
OPLEDGER_KERNEL(AveragePool, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Refuses("its channels are not last", &PoolsChannelsSecond)
    .Priority(10)
    .Run(&PrepareVectorPool<true>);

}  // namespace
}  // namespace opledger
