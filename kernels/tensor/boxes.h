// Boxes in images, and non-maximum suppression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace opledger {

template <typename V>
struct Box {
  V low[2];
  V high[2];

  V Area() const {
    const V width = high[0] - low[0];
    const V height = high[1] - low[1];
    return width < V(0) || height < V(0) ? V(0) : width * height;
  }
};

// Intersection over union of two boxes.
template <typename V>
V SharedPart(const Box<V>& a, const Box<V>& b) {
  V both = 1;
  for (std::size_t d = 0; d < 2; ++d) {
    both *= std::max(std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]), V(0));
  }
  return both > V(0) ? both / (a.Area() + b.Area() - both) : V(0);
}

// Non-maximum suppression of `count` boxes in `order`, best score first. A box is kept unless
// hides(better, box) is true for a box that was kept before it. Moves the first `max_kept` of the
// kept boxes to the front and returns their number.
template <typename Hides>
std::size_t SuppressBoxes(std::size_t* order, std::size_t count, std::size_t max_kept,
                          const Hides& hides) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count && kept < max_kept; ++i) {
    const std::size_t box = order[i];
    if (std::none_of(order, order + kept, [&](std::size_t better) { return hides(better, box); })) {
      order[kept++] = box;
    }
  }
  return kept;
}

}  // namespace opledger
