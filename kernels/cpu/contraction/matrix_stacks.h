// Shapes of two matrices, or of stacks of matrices that broadcast. A vector is a row on the left
// and a column on the right.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"

namespace opledger {

struct MatrixStacks {
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 0;
  Dimensions a;  // of each stack, without the matrices
  Dimensions b;
  Dimensions whole;   // of the result's stack
  Dimensions result;  // the shape of the product
};

// Reads inputs 0 and 1 of a call. Returns an error if they cannot be multiplied.
inline StatusOr<MatrixStacks> ReadMatrixStacks(const Call& call) {
  MatrixStacks stacks;
  Dimensions a = call.Shape(0);
  Dimensions b = call.Shape(1);
  if (a.empty() || b.empty()) {
    return Status("its factor is a scalar");
  }
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  stacks.rows = static_cast<std::size_t>(a[a.size() - 2]);
  stacks.inner = static_cast<std::size_t>(a.back());
  stacks.columns = static_cast<std::size_t>(b.back());
  stacks.a.assign(a.begin(), a.end() - 2);
  stacks.b.assign(b.begin(), b.end() - 2);
  const auto whole = Broadcast({stacks.a, stacks.b});
  if (!whole || b[b.size() - 2] != a.back()) {
    return Status(Text(call.Input(0)) + " and " + Text(call.Input(1)) + " cannot be multiplied");
  }
  stacks.whole = stacks.result = *whole;
  if (!row) stacks.result.push_back(a[a.size() - 2]);
  if (!column) stacks.result.push_back(b.back());
  return stacks;
}

}  // namespace opledger
