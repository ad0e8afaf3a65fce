// Merges dimensions with a common stride, from the first to the last.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/strided_layout.h"

#include <algorithm>

namespace opledger::cuda {

std::optional<CopyLayouts> CopyLayoutsOf(const Dimensions& shape, const Dimensions& from,
                                         const Dimensions& to) {
  Dimensions sizes;
  Dimensions strides[2];
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const bool joins = !sizes.empty() && strides[0].back() == from[d] * shape[d] &&
                       strides[1].back() == to[d] * shape[d];
    if (joins) {
      sizes.back() *= shape[d];
      strides[0].back() = from[d];
      strides[1].back() = to[d];
    } else {
      sizes.push_back(shape[d]);
      strides[0].push_back(from[d]);
      strides[1].push_back(to[d]);
    }
  }
  if (sizes.size() > kMaxDimensions) return std::nullopt;
  CopyLayouts layouts = {};
  for (StridedLayout* layout : {&layouts.from, &layouts.to}) {
    layout->rank = static_cast<std::int32_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), layout->size);
  }
  std::copy(strides[0].begin(), strides[0].end(), layouts.from.stride);
  std::copy(strides[1].begin(), strides[1].end(), layouts.to.stride);
  return layouts;
}

std::optional<StridedLayout> StridedLayoutOf(const Dimensions& shape, const Dimensions& strides) {
  const auto layouts = CopyLayoutsOf(shape, strides, strides);
  if (!layouts) return std::nullopt;
  return layouts->from;
}

std::optional<ReductionLayouts> ReductionLayoutsOf(const Dimensions& shape, const Integers& axes) {
  const Dimensions strides = Strides(shape);
  Dimensions sizes[2];
  Dimensions steps[2];
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_axis =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    sizes[is_axis ? 1 : 0].push_back(shape[d]);
    steps[is_axis ? 1 : 0].push_back(strides[d]);
  }
  const auto groups = StridedLayoutOf(sizes[0], steps[0]);
  const auto members = StridedLayoutOf(sizes[1], steps[1]);
  if (!groups || !members) return std::nullopt;
  return ReductionLayouts{*groups, *members};
}

}  // namespace opledger::cuda
