// Vector kernels that reduce: sums, softmax, normalizations, pools. In: rows of float32, or of
// 16-bit floats in tiles; out: the same bits as the reference, kernels/cpu/reduce. This header:
// axes that are the last dimensions, so that each group is contiguous.
// May include: kernels/arithmetic/elementary, kernels/arithmetic/loops, kernels/cpu/reduce,
// kernels/cpu/window, kernels/kernel, kernels/tensor, kernels/vector/elementwise,
// kernels/vector/rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/kernel/kernel.h"

namespace opledger {

// Returns the number of elements of a group, or nullopt if the axes are not the last dimensions,
// where dimensions of 1 do not count.
inline std::optional<std::size_t> TrailingSize(const Dimensions& shape, const Integers& axes) {
  std::size_t size = 1;
  bool inner_size = true;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    const bool is_axis =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    if (is_axis && !inner_size) return std::nullopt;
    if (is_axis) size *= static_cast<std::size_t>(shape[d]);
    inner_size = is_axis;
  }
  return size;
}

}  // namespace opledger
