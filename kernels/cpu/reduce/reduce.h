// Reference kernels that reduce along axes: sums, softmax, normalizations, losses. In: a tensor and
// its axes; out: one element for each group, or each element adjusted by its group. This header:
// sums in an order that every device can follow, so that all give the same bits: 32 partial sums,
// where element i is added to partial sum i mod 32, which are then added pairwise, the upper half
// to the lower.
// May include: kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace opledger {

inline constexpr std::size_t kPartialSums = 32;

// Reduces value(0), ..., value(count - 1) by reduce. Returns `start` if count is 0.
template <typename V, typename Value, typename Reduce>
V ReduceByTree(std::size_t count, V start, const Value& value, const Reduce& reduce) {
  if (count == 0) return start;
  V partial[kPartialSums];
  const std::size_t used = std::min(count, kPartialSums);
  for (std::size_t i = 0; i < used; ++i) partial[i] = value(i);
  for (std::size_t i = kPartialSums; i < count; ++i) {
    V& sum = partial[i % kPartialSums];
    sum = reduce(sum, value(i));
  }
  for (std::size_t half = kPartialSums / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half && i + half < used; ++i) {
      partial[i] = reduce(partial[i], partial[i + half]);
    }
  }
  return partial[0];
}

template <typename V, typename Value>
V SumByTree(std::size_t count, const Value& value) {
  return ReduceByTree(count, V(0), value, [](V a, V b) { return static_cast<V>(a + b); });
}

}  // namespace opledger
