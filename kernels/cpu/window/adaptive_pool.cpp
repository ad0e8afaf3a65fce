// AdaptiveAveragePool: divides the image into the requested number of parts, and averages each.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// The input is N, C, H, W.
struct AdaptiveShape {
  std::size_t planes = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t rows = 0;  // of the output
  std::int64_t columns = 0;
};

// The range of `size` elements that part `part` of `parts` covers; adjacent parts may overlap by
// one.
struct Share {
  std::int64_t begin;
  std::int64_t end;
};
Share ShareOf(std::int64_t part, std::int64_t parts, std::int64_t size) {
  return {part * size / parts, ((part + 1) * size + parts - 1) / parts};
}

template <typename T>
void AverageShares(const AdaptiveShape& shape, const T* in, T* out) {
  using V = Computed<T>;
  for (std::size_t plane = 0; plane < shape.planes; ++plane) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const Share down = ShareOf(row, shape.rows, shape.height);
      for (std::int64_t column = 0; column < shape.columns; ++column, ++out) {
        const Share across = ShareOf(column, shape.columns, shape.width);
        V sum = 0;
        for (std::int64_t y = down.begin; y < down.end; ++y) {
          for (std::int64_t x = across.begin; x < across.end; ++x) {
            sum += Load(in[y * shape.width + x]);
          }
        }
        const std::int64_t count = (down.end - down.begin) * (across.end - across.begin);
        Store(*out, sum / static_cast<V>(count));
      }
    }
    in += shape.height * shape.width;
  }
}

// Parameter: output: rows, columns.
Prepared PrepareAdaptivePool(const Call& call) {
  constexpr std::int64_t kMax = std::int64_t{1} << 20;
  const Dimensions& x = call.Shape(0);
  const Integers output = call.parameters.List("output");
  if (x.size() != 4 || x[2] < 1 || x[3] < 1 || x[2] > kMax || x[3] > kMax) {
    return Refuse("its input is not N, C, H, W");
  }
  if (output.size() != 2 || output[0] < 1 || output[1] < 1 || output[0] > kMax ||
      output[1] > kMax) {
    return Refuse("its output size is not two positive dimensions");
  }
  const AdaptiveShape shape{static_cast<std::size_t>(x[0] * x[1]), x[2], x[3], output[0],
                            output[1]};
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, {x[0], x[1], output[0], output[1]}}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
      AverageShares(shape, static_cast<const T*>(inputs[0]), static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(AdaptiveAveragePool, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("output")
    .Run(&PrepareAdaptivePool);

}  // namespace
}  // namespace opledger
