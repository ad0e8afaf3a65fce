// Compares tensors with different numbers of rows, which NonMaxSuppression or Compress may produce
// in float16: rows are matched by content, and errors are those of matched rows.
//   exact [[0,0,3],[0,1,7],[1,0,2]], other [[0,0,3],[1,0,2]] -> 2 of 3 rows match, 1 is missing
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_error.h"

namespace opledger {

// Rows of floats match if every element differs by at most this fraction of the tensor's largest
// element. The closest rows match first, each once. Rows of other types match if they are equal.
inline constexpr double kRowTolerance = 1.0 / 16;

// Returns whether two tensors can be compared: their shapes are equal, or have the same rank and
// different counts.
bool CanMatch(const Dimensions& one, const Dimensions& other);

// Returns ErrorOf if the counts are equal; otherwise the error of the matched rows, and sets
// `rows`. A row is a slice along the dimension that differs, or a single element if several differ.
// `exact`: as for ErrorOf, with a shape that CanMatch accepts.
TensorError ErrorByContent(const TensorType& type, const void* data, const ConstantTensor& exact);

}  // namespace opledger
