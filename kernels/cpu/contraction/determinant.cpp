// Det: determinants of square matrices, by elimination with column pivoting.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Overwrites the matrix.
template <typename V>
V DeterminantOf(V* matrix, std::size_t size) {
  V product = 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row) {
      if (std::fabs(matrix[row * size + column]) > std::fabs(matrix[pivot * size + column])) {
        pivot = row;
      }
    }
    const V divisor = matrix[pivot * size + column];
    if (divisor == V(0)) return V(0);
    if (pivot != column) {
      for (std::size_t k = 0; k < size; ++k) {
        std::swap(matrix[pivot * size + k], matrix[column * size + k]);
      }
      product = -product;
    }
    product *= divisor;
    for (std::size_t row = column + 1; row < size; ++row) {
      const V factor = matrix[row * size + column] / divisor;
      for (std::size_t k = column; k < size; ++k) {
        matrix[row * size + k] -= factor * matrix[column * size + k];
      }
    }
  }
  return product;
}

// Input: x (..., n, n).
Prepared PrepareDet(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2]) {
    return Refuse("its input does not consist of square matrices");
  }
  const auto size = static_cast<std::size_t>(shape.back());
  const Dimensions out(shape.begin(), shape.end() - 2);
  const std::size_t count = Elements(out);
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, out}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = size * size * sizeof(Computed<T>);
    prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
      auto* matrix = static_cast<Computed<T>*>(workspace);
      for (std::size_t i = 0; i < count; ++i) {
        const auto* in = static_cast<const T*>(inputs[0]) + i * size * size;
        for (std::size_t k = 0; k < size * size; ++k) matrix[k] = Load(in[k]);
        Store(static_cast<T*>(outputs[0])[i], DeterminantOf(matrix, size));
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Det, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("n^3 * 2^-24 of the product of the columns' norms")
    .Run(&PrepareDet);

}  // namespace
}  // namespace opledger
