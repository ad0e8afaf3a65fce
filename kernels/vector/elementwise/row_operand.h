// An operand of what is computed element by element, as its numbers lie under those of the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/tensor/tensor.h"

namespace opledger {

// Numbers of an operand for a part of the result: one for each, or one for all of them.
struct Row {
  const float* numbers = nullptr;
  bool one = false;
};

class RowOperand {
 public:
  // A tensor of float32, float16, bfloat16, int8, uint8 or int32 that broadcasts to `result`.
  RowOperand(const TensorType& type, const Dimensions& result);

  Dtype dtype() const { return dtype_; }
  // Each number of the result has its own, in the same order.
  bool IsWhole() const { return levels_.size() == 1 && levels_[0].steps; }
  // One number is that of all.
  bool IsOne() const { return levels_.empty(); }
  // Of what repeats all the time: how many numbers; else 0.
  std::size_t Period() const {
    return levels_.size() == 2 && levels_[0].steps ? levels_[0].extent : 0;
  }
  // How many numbers of the result from `at` on have theirs together, or have the same.
  std::size_t Run(std::size_t at) const;
  // The numbers for `n` of the result from `at` on: where they are, or in `buffer`, which is used
  // where they are of 16 bits or do not stand together.
  Row Load(const void* data, std::size_t at, std::size_t n, float* buffer) const;

 private:
  // Neighbouring dimensions of the result through which the operand steps, or does not.
  struct Level {
    std::size_t extent = 1;
    bool steps = false;
  };

  std::size_t Place(std::size_t at) const;
  void LoadRuns(const void* data, std::size_t at, std::size_t n, float* buffer) const;

  Dtype dtype_;
  std::vector<Level> levels_;  // the innermost first, by turns; none: one number
};

}  // namespace opledger
