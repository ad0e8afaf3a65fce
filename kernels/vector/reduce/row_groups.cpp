// Splits tensors into groups of rows, and reduces rows column by column.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/reduce/row_groups.h"

#include <optional>

namespace opledger {

RowGroups SplitRows(const Dimensions& shape, const Dimensions& axes) {
  const auto goes = [&](std::size_t d) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
  };
  RowGroups rows;
  std::optional<bool> last_goes;
  std::size_t rank = shape.size();  // dimensions before the rows
  for (; rank > 0; --rank) {
    if (shape[rank - 1] == 1) continue;
    if (last_goes && *last_goes != goes(rank - 1)) break;
    last_goes = goes(rank - 1);
    rows.run *= static_cast<std::size_t>(shape[rank - 1]);
  }
  rows.run_stays = last_goes && !*last_goes;
  const Axes lead =
      SplitAxes({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rank)}, axes);
  rows.groups = lead.groups;
  rows.members = lead.members;
  return rows;
}

void RowTree::Add(const float* row) {
  float* into = partial_ + rows_ % kPartialSums * n_;
  if (rows_++ < kPartialSums) {
    std::copy_n(row, n_, into);
  } else {
    Apply(pair_, into, row, into, n_);
  }
}

float* RowTree::All() {
  const std::size_t used = std::min(rows_, kPartialSums);
  for (std::size_t half = kPartialSums / 2; half > 0; half /= 2) {
    if (half >= used) continue;
    Apply(pair_, partial_, partial_ + half * n_, partial_, std::min(half, used - half) * n_);
  }
  return partial_;
}

}  // namespace opledger
