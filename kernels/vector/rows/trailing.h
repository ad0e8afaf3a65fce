// Axes that are the last dimensions: what goes over them goes over numbers that stand together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/kernel/kernel.h"

namespace opledger {

// How many numbers a group has; none: the axes are not the last dimensions. Dimensions of 1 do not
// count.
inline std::optional<std::size_t> TrailingSize(const Dimensions& shape, const Integers& axes) {
  std::size_t size = 1;
  bool behind = true;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    const bool is_axis =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    if (is_axis && !behind) return std::nullopt;
    if (is_axis) size *= static_cast<std::size_t>(shape[d]);
    behind = is_axis;
  }
  return size;
}

}  // namespace opledger
