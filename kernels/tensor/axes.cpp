// Splits a shape into groups and members. No list of offsets is stored, only sizes and strides.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/axes.h"

#include <algorithm>

namespace opledger {

Offsets::Offsets(const Dimensions& sizes, const Dimensions& strides) : size_(Elements(sizes)) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    const Dimension next = {static_cast<std::size_t>(sizes[d]),
                            static_cast<std::size_t>(strides[d])};
    if (!dimensions_.empty() && dimensions_.back().stride == next.size * next.stride) {
      dimensions_.back() = {dimensions_.back().size * next.size, next.stride};
    } else {
      dimensions_.push_back(next);
    }
  }
  if (dimensions_.empty()) dimensions_.push_back({1, 0});
}

Axes SplitAxes(const Dimensions& shape, const Dimensions& axes) {
  return SplitAxes(shape, axes, Strides(shape));
}

Axes SplitAxes(const Dimensions& shape, const Dimensions& axes, const Dimensions& strides) {
  Axes split;
  Dimensions kept_strides;
  Dimensions gone;
  Dimensions gone_strides;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool goes =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    (goes ? gone : split.kept).push_back(shape[d]);
    (goes ? gone_strides : kept_strides).push_back(strides[d]);
    split.kept_ones.push_back(goes ? 1 : shape[d]);
  }
  split.groups = Offsets(split.kept, kept_strides);
  split.members = Offsets(gone, gone_strides);
  return split;
}

}  // namespace opledger
