// Boxes in images, and which of those that overlap stays.
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

// Of what both cover together, the share that both cover.
template <typename V>
V SharedPart(const Box<V>& a, const Box<V>& b) {
  V both = 1;
  for (std::size_t d = 0; d < 2; ++d) {
    both *= std::max(std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]), V(0));
  }
  return both > V(0) ? both / (a.Area() + b.Area() - both) : V(0);
}

// Non-maximum suppression of `count` boxes in the order of their scores, the best first: a box
// stays unless hides(better, box) for one that stays. Puts the first `max_kept` that stay first,
// and returns how many they are.
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
