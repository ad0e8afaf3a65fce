// Compares tensors that differ in how many rows they have, as NonMaxSuppression or Compress give in
// float16: rows are matched by content, and errors are those of the rows that match.
//   exact [[0,0,3],[0,1,7],[1,0,2]], other [[0,0,3],[1,0,2]] -> 2 of 3 rows match, 1 is missing
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_error.h"

namespace opledger {

// Rows of floats match if no number is off by more than this part of the tensor's largest number.
// The closest rows match first, each once. Rows of other types match if they are equal.
inline constexpr double kRowTolerance = 1.0 / 16;

// Whether two tensors can be compared: they have the same shape, or the same rank and different
// counts.
bool CanMatch(const Dimensions& one, const Dimensions& other);

// ErrorOf if the counts are equal; else the error of the rows that match, with `rows`. A row is a
// slice along the dimension that differs, or a single number if several differ. `exact`: as for
// ErrorOf, of a shape that CanMatch.
TensorError ErrorByContent(const TensorType& type, const void* data, const ConstantTensor& exact);

}  // namespace opledger
