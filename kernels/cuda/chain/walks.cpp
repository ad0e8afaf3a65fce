// Dimensions are joined from the first to the last.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/walks.h"

#include <algorithm>

namespace opledger::cuda {

std::optional<WalkPair> WalksOf(const Dimensions& shape, const Dimensions& from,
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
  if (sizes.size() > kMostDimensions) return std::nullopt;
  WalkPair walks = {};
  for (Walk* walk : {&walks.from, &walks.to}) {
    walk->rank = static_cast<std::int32_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), walk->size);
  }
  std::copy(strides[0].begin(), strides[0].end(), walks.from.stride);
  std::copy(strides[1].begin(), strides[1].end(), walks.to.stride);
  return walks;
}

std::optional<Walk> WalkOf(const Dimensions& shape, const Dimensions& strides) {
  const auto walks = WalksOf(shape, strides, strides);
  if (!walks) return std::nullopt;
  return walks->from;
}

std::optional<ReductionWalks> ReductionWalksOf(const Dimensions& shape, const Integers& axes) {
  const Dimensions strides = Strides(shape);
  Dimensions sizes[2];
  Dimensions steps[2];
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_axis =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    sizes[is_axis ? 1 : 0].push_back(shape[d]);
    steps[is_axis ? 1 : 0].push_back(strides[d]);
  }
  const auto groups = WalkOf(sizes[0], steps[0]);
  const auto members = WalkOf(sizes[1], steps[1]);
  if (!groups || !members) return std::nullopt;
  return ReductionWalks{*groups, *members};
}

}  // namespace opledger::cuda
