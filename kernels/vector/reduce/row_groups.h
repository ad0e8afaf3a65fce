// A tensor's groups as contiguous rows, and the reduction of rows to one, column by column, in the
// order of kernels/cpu/reduce/reduce.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/tensor/axes.h"

namespace opledger {

inline constexpr std::size_t kColumns = 128;  // per tile if the last dimensions are kept

// Row j of group i begins at element (groups[i] + members[j]) * run.
struct RowGroups {
  Offsets groups;
  Offsets members;
  std::size_t run = 1;
  bool run_stays = false;  // a group has one column of its rows; otherwise all columns
};
RowGroups SplitRows(const Dimensions& shape, const Dimensions& axes);

// Reduces rows of at most kColumns elements, column by column.
class RowTree {
 public:
  RowTree(arithmetic::Pair pair, std::size_t n) : pair_(pair), n_(n) {}
  void Add(const float* row);
  float* All();  // at least one row must have been added

 private:
  arithmetic::Pair pair_;
  std::size_t n_;
  std::size_t rows_ = 0;
  float partial_[kPartialSums * kColumns];
};

}  // namespace opledger
