// MaxPool, AveragePool and LpPool over N, C, D1, ...
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/window/window.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct PoolShape {
  Window window;
  std::size_t images = 0;  // times channels
  bool count_pads = false;
  bool column_major = false;
  std::int64_t p = 2;
};

std::optional<PoolShape> ReadPool(const Call& call, Prepared& prepared) {
  PoolShape shape;
  const auto window = ReadPoolWindow(call);
  if (!window) {
    prepared.refusal = window.status();
    return std::nullopt;
  }
  shape.window = *window;
  shape.images = static_cast<std::size_t>(call.Shape(0)[0] * call.Shape(0)[1]);
  TensorType out{call.Input(0).dtype, {call.Shape(0)[0], call.Shape(0)[1]}};
  out.dimensions.insert(out.dimensions.end(), window->output.begin(), window->output.end());
  prepared.outputs = {out};
  return shape;
}

// Returns the index of a pixel when the first spatial dimension varies fastest.
std::size_t ColumnMajor(const Dimensions& shape, std::size_t index) {
  std::vector<std::size_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = index % static_cast<std::size_t>(shape[d]);
    index /= static_cast<std::size_t>(shape[d]);
  }
  std::size_t result = 0;
  for (std::size_t d = shape.size(); d-- > 0;)
    result = result * static_cast<std::size_t>(shape[d]) + at[d];
  return result;
}

template <typename T>
void RunMaxPool(const PoolShape& shape, const T* in, T* out, std::int64_t* indices) {
  const std::size_t pixels = Elements(shape.window.input);
  const std::size_t positions = shape.window.Positions();
  for (std::size_t i = 0; i < shape.images; ++i) {
    for (std::size_t position = 0; position < positions; ++position) {
      bool any = false;
      std::size_t best = 0;
      ForEachTap(shape.window, position, [&](std::size_t, std::size_t index) {
        const auto value = Load(in[i * pixels + index]);
        // A NaN stays the maximum.
        bool larger = !any || value > Load(in[i * pixels + best]);
        if constexpr (std::is_floating_point_v<Computed<T>>) {
          const auto max = Load(in[i * pixels + best]);
          larger = larger || std::isnan(value) ||
                   (value == max && std::signbit(max) && !std::signbit(value));
        }
        if (larger) best = index;
        any = true;
      });
      const std::size_t at = i * positions + position;
      if (any) {
        out[at] = in[i * pixels + best];
      } else if constexpr (std::is_integral_v<T>) {
        out[at] = std::numeric_limits<T>::lowest();
      } else {
        Store(out[at], -std::numeric_limits<Computed<T>>::infinity());
      }
      if (indices == nullptr) continue;
      const std::size_t pixel = shape.column_major ? ColumnMajor(shape.window.input, best) : best;
      indices[at] = static_cast<std::int64_t>(i * pixels + pixel);
    }
  }
}

// Outputs: the maximum, and its index in the whole tensor.
Prepared PrepareMaxPool(const Call& call) {
  if (ChannelsLast(call)) return ThroughChannelsFirst(call, &PrepareMaxPool);
  Prepared prepared;
  auto shape = ReadPool(call, prepared);
  if (!shape) return prepared;
  shape->column_major = call.parameters.Integer("column_major", 0) != 0;
  prepared.outputs.push_back({Dtype::kInt64, prepared.outputs[0].dimensions});
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape = *shape](const void* const* inputs, void* const* outputs, void*) {
      RunMaxPool(shape, static_cast<const T*>(inputs[0]), static_cast<T*>(outputs[0]),
                 static_cast<std::int64_t*>(outputs[1]));
    };
  });
  return prepared;
}

// Computes Function of the taps of each position.
template <typename Function>
Prepared PrepareReducingPool(const Call& call) {
  if (ChannelsLast(call)) return ThroughChannelsFirst(call, &PrepareReducingPool<Function>);
  Prepared prepared;
  auto shape = ReadPool(call, prepared);
  if (!shape) return prepared;
  Function::Read(call.parameters, *shape);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape = *shape](const void* const* inputs, void* const* outputs, void*) {
      const std::size_t pixels = Elements(shape.window.input);
      const std::size_t positions = shape.window.Positions();
      for (std::size_t i = 0; i < shape.images * positions; ++i) {
        const auto* in = static_cast<const T*>(inputs[0]) + i / positions * pixels;
        Store(static_cast<T*>(outputs[0])[i], Function::Of(shape, in, i % positions));
      }
    };
  });
  return prepared;
}

struct AverageOfTaps {
  static void Read(const Parameters& parameters, PoolShape& shape) {
    shape.count_pads = parameters.Integer("count_pads", 0) != 0;
  }
  template <typename T>
  static Computed<T> Of(const PoolShape& shape, const T* in, std::size_t position) {
    Computed<T> sum = 0;
    std::size_t taps = 0;
    ForEachTap(shape.window, position, [&](std::size_t, std::size_t index) {
      sum += Load(in[index]);
      ++taps;
    });
    if (shape.count_pads) taps = TapsWithPads(shape.window, position);
    return sum / static_cast<Computed<T>>(std::max<std::size_t>(taps, 1));  // pads only: 0
  }
};

// (sum of |x|^p)^(1/p)
struct NormOfTaps {
  static void Read(const Parameters& parameters, PoolShape& shape) {
    shape.p = parameters.Integer("p", 2);
  }
  template <typename T>
  static Computed<T> Of(const PoolShape& shape, const T* in, std::size_t position) {
    using V = Computed<T>;
    const V p = static_cast<V>(shape.p);
    V sum = 0;
    ForEachTap(shape.window, position, [&](std::size_t, std::size_t index) {
      sum += function::Pow(std::fabs(Load(in[index])), p);
    });
    return function::Pow(sum, V(1) / p);
  }
};

OPLEDGER_KERNEL(MaxPool, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .ErrorBound("exact") OPLEDGER_READS_WINDOW.Reads("column_major")
    .ChannelsLast(ChannelsLastUse::kAsks)
    .Rounds(Rounding::kNone)
    .Run(&PrepareMaxPool);
OPLEDGER_KERNEL(AveragePool, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24") OPLEDGER_READS_WINDOW.Reads("count_pads")
    .ChannelsLast(ChannelsLastUse::kAsks)
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareReducingPool<AverageOfTaps>);
OPLEDGER_KERNEL(LpPool, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("8 ulp + n * 2^-24") OPLEDGER_READS_WINDOW.Reads("p")
    .ChannelsLast(ChannelsLastUse::kFollows)
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareReducingPool<NormOfTaps>);

}  // namespace
}  // namespace opledger
