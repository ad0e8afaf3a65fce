// Inverse of square matrices, by elimination with column pivoting. Singular matrices give
// infinities and NaN.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Rows have 2 * size elements: the matrix, which becomes the identity matrix, and the identity
// matrix, which becomes the inverse.
template <typename V>
void Invert(V* rows, std::size_t size) {
  const std::size_t width = 2 * size;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row) {
      if (std::fabs(rows[row * width + column]) > std::fabs(rows[pivot * width + column])) {
        pivot = row;
      }
    }
    V* own = rows + column * width;
    if (pivot != column) std::swap_ranges(own, own + width, rows + pivot * width);
    const V divisor = own[column];
    for (std::size_t k = 0; k < width; ++k) own[k] /= divisor;
    for (std::size_t row = 0; row < size; ++row) {
      const V factor = rows[row * width + column];
      if (row == column) continue;
      for (std::size_t k = 0; k < width; ++k) rows[row * width + k] -= factor * own[k];
    }
  }
}

// Input: x (..., n, n).
Prepared PrepareInverse(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2]) {
    return Refuse("its input does not consist of square matrices");
  }
  const auto size = static_cast<std::size_t>(shape.back());
  const std::size_t count = size == 0 ? 0 : Elements(shape) / (size * size);
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    using V = Computed<T>;
    prepared.workspace = 2 * size * size * sizeof(V);
    prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
      auto* rows = static_cast<V*>(workspace);
      for (std::size_t i = 0; i < count; ++i) {
        const auto* in = static_cast<const T*>(inputs[0]) + i * size * size;
        auto* out = static_cast<T*>(outputs[0]) + i * size * size;
        for (std::size_t at = 0; at < size * size; ++at) {
          V* row = rows + at / size * 2 * size;
          row[at % size] = Load(in[at]);
          row[size + at % size] = V(at / size == at % size ? 1 : 0);
        }
        Invert(rows, size);
        for (std::size_t at = 0; at < size * size; ++at) {
          Store(out[at], rows[at / size * 2 * size + size + at % size]);
        }
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Inverse, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("n^2 * 2^-24 of the matrix' condition")
    .Run(&PrepareInverse);

}  // namespace
}  // namespace opledger
