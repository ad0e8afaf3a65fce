// Loads runs of contiguous elements; short runs that repeat are loaded once and copied.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/row_operand.h"

#include <algorithm>

#include "kernels/tensor/broadcast.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
RowOperand::RowOperand(const TensorType& type, const Dimensions& result) : dtype_(type.dtype) {
  const Dimensions strides = BroadcastStrides(type.dimensions, result.size());
  for (std::size_t d = result.size(); d-- > 0;) {
    if (result[d] == 1) continue;
    const auto extent = static_cast<std::size_t>(result[d]);
    const bool steps = strides[d] != 0;
    if (levels_.empty() || levels_.back().steps != steps) levels_.push_back({1, steps});
    levels_.back().extent *= extent;
  }
  if (levels_.size() == 1 && !levels_[0].steps) levels_.clear();
  if (levels_.empty() && Elements(result) == 1) levels_.push_back({1, true});
}

std::size_t RowOperand::Run(std::size_t at) const {
  return levels_.empty() ? static_cast<std::size_t>(-1)
                         : levels_[0].extent - at % levels_[0].extent;
}

std::size_t RowOperand::Place(std::size_t at) const {
  std::size_t place = 0;
  std::size_t stride = 1;
  for (const Level& level : levels_) {
    if (level.steps) {
      place += at % level.extent * stride;
      stride *= level.extent;
    }
    at /= level.extent;
  }
  return place;
}

void RowOperand::LoadRuns(const void* data, std::size_t at, std::size_t n, float* buffer) const {
  const std::size_t period = levels_[0].extent;
  const bool repeats = Period() != 0 && 2 * period <= n;
  std::size_t done = 0;
  while (done < (repeats ? period : n)) {
    const std::size_t some = std::min(Run(at + done), (repeats ? period : n) - done);
    const std::size_t place = Place(at + done);
    if (!levels_[0].steps) {
      std::fill_n(buffer + done, some, LoadNumber(dtype_, data, place));
    } else {
      const float* row = LoadRow(dtype_, data, place, some, buffer + done);
      if (row != buffer + done) std::copy_n(row, some, buffer + done);
    }
    done += some;
  }
  while (done < n) {
    const std::size_t some = std::min(done, n - done);
    std::copy_n(buffer, some, buffer + done);
    done += some;
  }
}

Row RowOperand::Load(const void* data, std::size_t at, std::size_t n, float* buffer) const {
  if (levels_.empty()) return {LoadRow(dtype_, data, 0, 1, buffer), true};
  if (Run(at) < n) {
    LoadRuns(data, at, n, buffer);
    return {buffer, false};
  }
  const bool steps = levels_[0].steps;
  return {LoadRow(dtype_, data, Place(at), steps ? n : 1, buffer), !steps};
}

}  // namespace opledger
