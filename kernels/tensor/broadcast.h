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
  void Rows(const Row& row) const {
    CallRows(
        [](const void* called, std::size_t output, const std::int64_t* offsets, std::size_t count,
           const std::int64_t* steps) {
          (*static_cast<const Row*>(called))(output, offsets, count, steps);
        },
        &row);
  }

 private:
  using RowCall = void (*)(const void* row, std::size_t output, const std::int64_t* offsets,
                           std::size_t count, const std::int64_t* steps);

  // No template, since each operator and type has rows of its own. Allocates nothing.
  void CallRows(RowCall call, const void* row) const;

  Dimensions shape_;
  std::vector<Dimensions> strides_;  // of each operand
  std::size_t elements_;
};

}  // namespace opledger
