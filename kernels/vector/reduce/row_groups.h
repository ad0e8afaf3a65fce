// A tensor's groups as rows of numbers that stand together, and rows reduced one to the other in
// the order of kernels/cpu/reduce/reduce.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/tensor/axes.h"

namespace opledger {

inline constexpr std::size_t kColumns = 128;  // of a tile where the last dimensions stay

// Row j of group i begins at number (groups[i] + members[j]) * run.
struct RowGroups {
  Offsets groups;
  Offsets members;
  std::size_t run = 1;
  bool run_stays = false;  // a group has one column of its rows, else all of them
};
RowGroups SplitRows(const Dimensions& shape, const Dimensions& axes);

// Rows of at most kColumns numbers, column by column.
class RowTree {
 public:
  RowTree(arithmetic::Pair pair, std::size_t n) : pair_(pair), n_(n) {}
  void Add(const float* row);
  float* All();  // of at least one row

 private:
  arithmetic::Pair pair_;
  std::size_t n_;
  std::size_t rows_ = 0;
  float partial_[kPartialSums * kColumns];
};

}  // namespace opledger
