// Offsets are counted out once, when a call is prepared.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/axes.h"

#include <algorithm>

namespace opledger {
namespace {

// The offsets of all indices of some dimensions.
std::vector<std::size_t> Offsets(const Dimensions& sizes, const Dimensions& strides) {
  std::vector<std::size_t> offsets(Elements(sizes));
  Dimensions at(sizes.size(), 0);
  std::int64_t offset = 0;
  for (std::size_t& each : offsets) {
    each = static_cast<std::size_t>(offset);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++at[d] < sizes[d]) break;
      offset -= strides[d] * sizes[d];
      at[d] = 0;
    }
  }
  return offsets;
}

}  // namespace

Axes SplitAxes(const Dimensions& shape, const Dimensions& axes) {
  Axes split;
  const Dimensions strides = Strides(shape);
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
