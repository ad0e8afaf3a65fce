// Tensors of different shapes, element by element: numpy's rules of broadcasting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "kernels/tensor/tensor.h"

namespace opledger {

// The shape that all of them are broadcast to; none: they do not fit.
std::optional<Dimensions> Broadcast(const std::vector<Dimensions>& shapes);

// The strides of a tensor in a shape of that rank, to which it broadcasts.
Dimensions BroadcastStrides(const Dimensions& shape, std::size_t rank);

// Walks over all elements of a shape, in rows, with the place of the same element in every operand.
// Neighbouring dimensions that all operands step through alike are one.
class BroadcastWalk {
 public:
  static constexpr std::size_t kMaxRank = 32;

  // `shapes` can be broadcast to `shape`.
  BroadcastWalk(const Dimensions& shape, const std::vector<Dimensions>& shapes);

  // Calls row(output, offsets, count, steps): `count` elements from `output` on in the whole;
  // operand i has them from offsets[i] on, steps[i] (0 or 1, or a stride) from each other.
  template <typename Row>
  void Rows(const Row& row) const;

 private:
  Dimensions shape_;
  std::vector<Dimensions> strides_;  // of each operand
  std::size_t elements_;
};

template <typename Row>
void BroadcastWalk::Rows(const Row& row) const {
  constexpr std::size_t kMaxOperands = 8;
  if (elements_ == 0) return;
  const std::size_t outer = shape_.size() - 1;  // there is always one dimension
  std::int64_t at[kMaxRank] = {};
  std::int64_t offsets[kMaxOperands] = {};
  std::int64_t steps[kMaxOperands] = {};
  const std::size_t operands = strides_.size();
  for (std::size_t i = 0; i < operands; ++i) steps[i] = strides_[i][outer];
  const std::int64_t count = shape_[outer];
  for (std::size_t output = 0; output < elements_; output += static_cast<std::size_t>(count)) {
    row(output, static_cast<const std::int64_t*>(offsets), static_cast<std::size_t>(count),
        static_cast<const std::int64_t*>(steps));
    for (std::size_t d = outer; d-- > 0;) {
      for (std::size_t i = 0; i < operands; ++i) offsets[i] += strides_[i][d];
      if (++at[d] < shape_[d]) break;
      at[d] = 0;
      for (std::size_t i = 0; i < operands; ++i) offsets[i] -= strides_[i][d] * shape_[d];
    }
  }
}

}  // namespace opledger
