// Implements broadcasting: https://numpy.org/doc/stable/user/basics.broadcasting.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/broadcast.h"

#include <algorithm>

namespace opledger {

std::optional<Dimensions> Broadcast(const std::vector<Dimensions>& shapes) {
  Dimensions result;
  for (const Dimensions& shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& there = result[result.size() - shape.size() + i];
      if (shape[i] == there || shape[i] == 1) continue;
      if (there != 1) return std::nullopt;
      there = shape[i];
    }
  }
  if (result.size() > BroadcastWalk::kMaxRank) return std::nullopt;
  return result;
}

Dimensions BroadcastStrides(const Dimensions& shape, std::size_t rank) {
  Dimensions padded(rank - shape.size(), 1);
  padded.insert(padded.end(), shape.begin(), shape.end());
  Dimensions strides = Strides(padded);
  for (std::size_t i = 0; i < rank; ++i) {
    if (padded[i] == 1) strides[i] = 0;
  }
  return strides;
}

BroadcastWalk::BroadcastWalk(const Dimensions& shape, const std::vector<Dimensions>& shapes)
    : elements_(Elements(shape)) {
  std::vector<Dimensions> strides;
  for (const Dimensions& each : shapes) strides.push_back(BroadcastStrides(each, shape.size()));
  strides_.resize(shapes.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const bool joins =
        !shape_.empty() && std::all_of(strides.begin(), strides.end(), [&](const auto& own) {
          return strides_[static_cast<std::size_t>(&own - strides.data())].back() ==
                 own[d] * shape[d];
        });
    if (joins) {
      shape_.back() *= shape[d];
    } else {
      shape_.push_back(shape[d]);
    }
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (joins) {
        strides_[i].back() = strides[i][d];
      } else {
        strides_[i].push_back(strides[i][d]);
      }
    }
  }
  if (!shape_.empty()) return;
  shape_.push_back(1);
  for (Dimensions& own : strides_) own.push_back(0);
}

void BroadcastWalk::CallRows(RowCall call, const void* row) const {
  constexpr std::size_t kMaxOperands = 8;
  if (elements_ == 0) return;
  const std::size_t outer = shape_.size() - 1;  // shape_ is never empty
  std::int64_t at[kMaxRank] = {};
  std::int64_t offsets[kMaxOperands] = {};
  std::int64_t steps[kMaxOperands] = {};
  const std::size_t operands = strides_.size();
  for (std::size_t i = 0; i < operands; ++i) steps[i] = strides_[i][outer];
  const std::int64_t count = shape_[outer];
  for (std::size_t output = 0; output < elements_; output += static_cast<std::size_t>(count)) {
    call(row, output, offsets, static_cast<std::size_t>(count), steps);
    for (std::size_t d = outer; d-- > 0;) {
      for (std::size_t i = 0; i < operands; ++i) offsets[i] += strides_[i][d];
      if (++at[d] < shape_[d]) break;
      at[d] = 0;
      for (std::size_t i = 0; i < operands; ++i) offsets[i] -= strides_[i][d] * shape_[d];
    }
  }
}

}  // namespace opledger
