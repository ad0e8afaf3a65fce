// An operand of an element-wise operator, broadcast to the shape of the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/tensor/tensor.h"

namespace opledger {

// The elements of an operand for a part of the result: one for each, or one for all.
struct Row {
  const float* numbers = nullptr;
  bool one = false;
};

class RowOperand {
 public:
  // A tensor of float32, float16, bfloat16, int8, uint8 or int32 that broadcasts to `result`.
  RowOperand(const TensorType& type, const Dimensions& result);

  Dtype dtype() const { return dtype_; }
  // Returns whether the operand has the shape of the result.
  bool IsWhole() const { return levels_.size() == 1 && levels_[0].steps; }
  // Returns whether one element applies to all.
  bool IsOne() const { return levels_.empty(); }
  // Returns the period if a contiguous run repeats throughout the result, otherwise 0.
  std::size_t Period() const {
    return levels_.size() == 2 && levels_[0].steps ? levels_[0].extent : 0;
  }
  // Returns the number of result elements from `at` on whose operand elements are contiguous, or
  // are the same.
  std::size_t Run(std::size_t at) const;
  // Returns the elements for `n` result elements from `at` on, in place or in `buffer`, which is
  // used if they have 16 bits or are not contiguous.
  Row Load(const void* data, std::size_t at, std::size_t n, float* buffer) const;

 private:
  // Adjacent dimensions of the result along which the operand has a stride (`steps`) or is
  // repeated.
  struct Level {
    std::size_t extent = 1;
    bool steps = false;
  };

  std::size_t Place(std::size_t at) const;
  void LoadRuns(const void* data, std::size_t at, std::size_t n, float* buffer) const;

  Dtype dtype_;
  std::vector<Level> levels_;  // alternating, innermost first; empty: one element
};

}  // namespace opledger
