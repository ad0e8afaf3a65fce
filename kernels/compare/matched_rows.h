// Tensors that hold the same things, but not as many of them: NonMaxSuppression or Compress chose
// others in float16. Their rows are matched by content, and errors are of those that match.
//   exact [[0,0,3],[0,1,7],[1,0,2]], other [[0,0,3],[1,0,2]] -> 2 of 3 rows match, 1 only in exact
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_error.h"

namespace opledger {

// Rows of floats match where no number is off by more than this part of the tensor's largest; the
// closest first, each row once. Rows of other numbers match where they are equal.
inline constexpr double kRowTolerance = 1.0 / 16;

// Whether the two can be held against each other: they are of one shape, or of one rank with
// different counts.
bool CanMatch(const Dimensions& one, const Dimensions& other);

// ErrorOf where there are as many numbers; else of the rows that match, with `rows`. A row is what
// stands at one index of the dimension that differs; where several do, a number. `exact`: as for
// ErrorOf, but for its shape, which CanMatch.
TensorError ErrorByContent(const TensorType& type, const void* data, const ConstantTensor& exact);

}  // namespace opledger
