// GridSample: samples an image at the points of a grid, with interpolation; and AffineGrid, which
// makes such a grid. https://onnx.ai/onnx/operators/onnx__GridSample.html
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/image/image.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

enum class Sampling { kNearest, kLinear, kCubic };
enum class Beyond { kZeros, kBorder, kReflection };

constexpr std::size_t kMaxGridRank = 4;

struct GridShape {
  Dimensions image;  // spatial dimensions; the grid has them in reverse order
  std::size_t batches = 0;
  std::size_t channels = 0;
  std::size_t points = 0;  // per batch
  Sampling sampling = Sampling::kLinear;
  Beyond beyond = Beyond::kZeros;
  bool align_corners = false;
};

// Taps of a point in one dimension: pixels (-1 outside) and their weights.
struct GridTaps {
  std::size_t count = 0;
  std::int64_t index[4] = {};
  double weight[4] = {};
};

// Reflects x at the borders as often as needed.
double Reflected(double x, double min, double max) {
  const double range = max - min;
  if (range <= 0) return min;
  const double away = x < min ? min - x : x > max ? x - max : 0;
  if (away == 0) return x;
  const double times = std::floor(away / range);
  const double rest = away - times * range;
  const bool at_own_border = std::fmod(times, 2) == 0;
  return (x < min) == at_own_border ? min + rest : max - rest;
}

GridTaps TapsAt(const GridShape& shape, std::int64_t size, double point) {
  const auto length = static_cast<double>(size);
  const double min = shape.align_corners ? 0 : -0.5;
  const double max = min + length - (shape.align_corners ? 1 : 0);
  double x = shape.align_corners ? (point + 1) / 2 * (length - 1) : ((point + 1) * length - 1) / 2;
  constexpr double kFar = 1e15;  // NaN counts as far outside, too
  x = x >= -kFar ? std::min(x, kFar) : -kFar;
  if (shape.sampling == Sampling::kNearest) x = std::nearbyint(x);
  if (x < min || x > max) {
    if (shape.beyond == Beyond::kBorder) x = std::clamp(x, 0.0, length - 1);
    if (shape.beyond == Beyond::kReflection) x = Reflected(x, min, max);
  }
  GridTaps taps;
  const double floor = std::floor(x);
  double first = floor;
  if (shape.sampling == Sampling::kNearest) {
    taps.count = 1;
    taps.weight[0] = 1;
    first = std::trunc(x);
  } else if (shape.sampling == Sampling::kLinear) {
    taps.count = 2;
    taps.weight[0] = 1 - (x - floor);
    taps.weight[1] = x - floor;
  } else {
    taps.count = 4;
    first = floor - 1;
    for (int i = 0; i < 4; ++i) taps.weight[i] = CubicWeight(std::fabs(x - floor + 1 - i), -0.75);
  }
  for (std::size_t i = 0; i < taps.count; ++i) {
    double place = first + static_cast<double>(i);
    if (shape.beyond == Beyond::kBorder) place = std::clamp(place, 0.0, length - 1);
    if (shape.beyond == Beyond::kReflection) place = std::trunc(Reflected(place, min, max));
    const bool outside = place < 0 || place >= length;
    taps.index[i] = outside ? -1 : static_cast<std::int64_t>(place);
  }
  return taps;
}

// Returns the weighted sum over all combinations of the taps of each dimension.
template <typename T>
Computed<T> SampleAt(const GridShape& shape, const GridTaps* taps, const T* image) {
  using V = Computed<T>;
  const std::size_t rank = shape.image.size();
  std::size_t at[kMaxGridRank] = {};
  V sum = 0;
  for (;;) {
    std::int64_t offset = 0;
    V weight = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t index = taps[d].index[at[d]];
      offset = index < 0 || offset < 0 ? -1 : offset * shape.image[d] + index;
      weight *= static_cast<V>(taps[d].weight[at[d]]);
    }
    if (offset >= 0) sum += weight * Load(image[offset]);
    std::size_t d = rank;
    while (d > 0 && ++at[d - 1] == taps[d - 1].count) at[--d] = 0;
    if (d == 0) return sum;
  }
}

template <typename T, typename G>
void SampleGrid(const GridShape& shape, const T* in, const G* grid, T* out) {
  const std::size_t rank = shape.image.size();
  const std::size_t pixels = Elements(shape.image);
  for (std::size_t b = 0; b < shape.batches; ++b) {
    for (std::size_t p = 0; p < shape.points; ++p) {
      const G* point = grid + (b * shape.points + p) * rank;
      GridTaps taps[kMaxGridRank];
      for (std::size_t d = 0; d < rank; ++d) {
        taps[d] = TapsAt(shape, shape.image[d], static_cast<double>(Load(point[rank - 1 - d])));
      }
      for (std::size_t c = 0; c < shape.channels; ++c) {
        const std::size_t plane = b * shape.channels + c;
        Store(out[plane * shape.points + p], SampleAt(shape, taps, in + plane * pixels));
      }
    }
  }
}

// Inputs: x (N, C, ...), grid (N, ..., rank). Parameters: mode: nearest, linear, cubic; beyond:
// zeros, border, reflection; align_corners.
Prepared PrepareGridSample(const Call& call) {
  const Dimensions& x = call.Shape(0);
  const Dimensions grid = call.Has(1) ? call.Shape(1) : Dimensions{};
  if (x.size() < 3 || x.size() > kMaxGridRank + 2 || grid.size() != x.size() || grid[0] != x[0] ||
      grid.back() != static_cast<std::int64_t>(x.size()) - 2) {
    return Refuse("its grid does not match its input");
  }
  GridShape shape;
  shape.image.assign(x.begin() + 2, x.end());
  shape.batches = static_cast<std::size_t>(x[0]);
  shape.channels = static_cast<std::size_t>(x[1]);
  shape.points = Elements(Dimensions(grid.begin() + 1, grid.end() - 1));
  const std::string mode = call.parameters.Word("mode", "linear");
  const std::string beyond = call.parameters.Word("beyond", "zeros");
  if ((mode != "nearest" && mode != "linear" && mode != "cubic") ||
      (beyond != "zeros" && beyond != "border" && beyond != "reflection")) {
    return Refuse("its mode is not supported");
  }
  if (std::find(shape.image.begin(), shape.image.end(), 0) != shape.image.end()) {
    return Refuse("its input is empty");
  }
  shape.sampling = mode == "nearest"  ? Sampling::kNearest
                   : mode == "linear" ? Sampling::kLinear
                                      : Sampling::kCubic;
  shape.beyond = beyond == "zeros"    ? Beyond::kZeros
                 : beyond == "border" ? Beyond::kBorder
                                      : Beyond::kReflection;
  shape.align_corners = call.parameters.Integer("align_corners", 0) != 0;
  Dimensions out = {x[0], x[1]};
  out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, out}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    WithFloat(call.Input(1).dtype, [&]<typename G>(G*) {
      prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
        SampleGrid(shape, static_cast<const T*>(inputs[0]), static_cast<const G*>(inputs[1]),
                   static_cast<T*>(outputs[0]));
      };
    });
  });
  if (!prepared.run) return Refuse("its grid is not of floats");
  return prepared;
}

// Input: theta (N, rank, rank + 1). Parameters: image: spatial dimensions of the output;
// align_corners.
Prepared PrepareAffineGrid(const Call& call) {
  const Dimensions image = call.parameters.List("image");
  const auto rank = static_cast<std::int64_t>(image.size());
  const Dimensions& theta = call.Shape(0);
  if (rank < 1 || rank > static_cast<std::int64_t>(kMaxGridRank) || theta.size() != 3 ||
      theta[1] != rank || theta[2] != rank + 1 || !CheckSize({Dtype::kFloat64, image})) {
    return Refuse("its transformation does not match its size");
  }
  const bool align = call.parameters.Integer("align_corners", 0) != 0;
  Dimensions out = {theta[0]};
  out.insert(out.end(), image.begin(), image.end());
  out.push_back(rank);
  const std::size_t points = Elements(image);
  const std::int64_t batches = theta[0];
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, out}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      using V = Computed<T>;
      auto* to = static_cast<T*>(outputs[0]);
      for (std::int64_t b = 0; b < batches; ++b) {
        const auto* matrix = static_cast<const T*>(inputs[0]) + b * rank * (rank + 1);
        for (std::size_t p = 0; p < points; ++p, to += rank) {
          V place[kMaxGridRank] = {};  // last dimension first
          auto rest = static_cast<std::int64_t>(p);
          for (std::int64_t d = rank; d-- > 0; rest /= image[d]) {
            const V at = static_cast<V>(rest % image[d]);
            const V size = static_cast<V>(image[d]);
            const V corner = size == 1 ? V(0) : V(-1) + V(2) * at / (size - V(1));
            place[rank - 1 - d] = align ? corner : (V(2) * at + V(1)) / size - V(1);
          }
          for (std::int64_t i = 0; i < rank; ++i) {
            V sum = Load(matrix[i * (rank + 1) + rank]);
            for (std::int64_t k = 0; k < rank; ++k) {
              sum += Load(matrix[i * (rank + 1) + k]) * place[k];
            }
            Store(to[i], sum);
          }
        }
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(GridSample, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("mode: nearest, linear, cubic")
    .Reads("beyond: zeros, border, reflection")
    .Reads("align_corners")
    .Run(&PrepareGridSample);
OPLEDGER_KERNEL(AffineGrid, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("image")
    .Reads("align_corners")
    .Run(&PrepareAffineGrid);

}  // namespace
}  // namespace opledger
