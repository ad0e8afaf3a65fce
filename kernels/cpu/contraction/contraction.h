// Reference kernels that sum products over shared indices: matrix products, convolutions, einsum,
// Fourier transforms, determinants. In: factors; out: sums of products, each in the order of the
// inner index, in the type that the elements are computed in.
// May include: kernels/cpu/elementwise, kernels/cpu/formulas, kernels/cpu/window, kernels/kernel,
// kernels/machine, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/kernel/step_problem.h"
#include "kernels/machine/run_limits.h"
#include "kernels/tensor/element.h"

namespace opledger {

// sums (rows x columns) += a (rows x inner, strided) * b (inner x columns, contiguous). Stops
// between rows if the run is to end, since no other step takes as long.
template <typename V>
void MultiplyAdd(std::size_t rows, std::size_t inner, std::size_t columns, const V* a,
                 std::size_t a_row, std::size_t a_inner, const V* b, V* sums) {
  for (std::size_t i = 0; i < rows; ++i) {
    if (const char* why = WhyToStop()) return ReportStepProblem(why);
    V* row = sums + i * columns;
    for (std::size_t k = 0; k < inner; ++k) {
      const V factor = a[i * a_row + k * a_inner];
      const V* other = b + k * columns;
      for (std::size_t j = 0; j < columns; ++j) row[j] += factor * other[j];
    }
  }
}

// The type that products of `T` are summed in; unsigned for integers, which wrap around.
template <typename T>
using SumOf = std::conditional_t<std::is_integral_v<T>, std::uint64_t, Computed<T>>;

// Converts rows x columns elements to the type that they are computed in. `transposed`: `in` is
// column-major.
template <typename T>
void UpcastMatrix(const T* in, std::size_t rows, std::size_t columns, bool transposed,
                  SumOf<T>* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const T element = transposed ? in[j * rows + i] : in[i * columns + j];
      out[i * columns + j] = static_cast<SumOf<T>>(Load(element));
    }
  }
}

template <typename T>
void StoreAll(const SumOf<T>* sums, std::size_t count, T* out) {
  for (std::size_t i = 0; i < count; ++i) Store(out[i], static_cast<Computed<T>>(sums[i]));
}

}  // namespace opledger
