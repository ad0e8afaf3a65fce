// Element-wise walks over tensors of different shapes, by numpy's broadcasting rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "kernels/tensor/tensor.h"

namespace opledger {

// Returns the shape that all `shapes` broadcast to, or nullopt if they are incompatible.
std::optional<Dimensions> Broadcast(const std::vector<Dimensions>& shapes);

// Returns the strides of a tensor of `shape` when broadcast to a shape of that rank.
Dimensions BroadcastStrides(const Dimensions& shape, std::size_t rank);

// Walks over all elements of a shape in rows and gives the offset of each in every operand.
// Adjacent dimensions that all operands step through alike are merged.
class BroadcastWalk {
 public:
  static constexpr std::size_t kMaxRank = 32;

  // Every one of `shapes` must broadcast to `shape`.
  BroadcastWalk(const Dimensions& shape, const std::vector<Dimensions>& shapes);

  // Calls row(output, offsets, count, steps) for every row: `count` output elements from `output`
  // on; those of operand i start at offsets[i], steps[i] elements apart (0, 1 or a stride).
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

  // Not a template, to avoid an instance for each operator and type. Allocates nothing.
  void CallRows(RowCall call, const void* row) const;

  Dimensions shape_;
  std::vector<Dimensions> strides_;  // one for each operand
  std::size_t elements_;
};

}  // namespace opledger
