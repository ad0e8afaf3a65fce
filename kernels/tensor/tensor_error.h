// Measures the errors of a tensor's elements, given the exact tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Row counts of two tensors of different lengths, whose rows were matched by content.
struct RowCounts {
  std::size_t matched = 0;
  std::size_t missing = 0;  // only in the exact tensor
  std::size_t added = 0;    // only in the measured tensor
  bool is_numbers = false;  // each row is a scalar
};

// The error of a tensor. For floats, over the elements that are finite in both tensors. Relative
// errors are infinite if all exact elements are 0 and some measured ones are not.
struct TensorError {
  Dtype dtype = Dtype::kFloat32;
  std::size_t numbers = 0;        // of elements
  double ulp = 0;                 // largest error, in units in the last place of the exact element
  double absolute = 0;            // largest error
  double relative = 0;            // `absolute` divided by the largest exact element
  double relative_l2 = 0;         // norm of the errors divided by the norm of the exact elements
  std::size_t not_finite = 0;     // elements that are infinite or NaN but should be finite
  std::size_t unequal = 0;        // number of different elements; not for floats
  std::optional<RowCounts> rows;  // set if the lengths differ; the rest covers the rows that match
};

// Compares `data`, a tensor of `type`, with `exact`, which must have the same number of elements:
// in float64 if `type` is a float, otherwise in the same type.
TensorError ErrorOf(const TensorType& type, const void* data, const ConstantTensor& exact);

// Returns the distance between adjacent values of a float type near `number`: 2^-10 for 1.5 in
// float16. For subnormal numbers and 0, that of the smallest normal value.
double UnitInLastPlace(Dtype dtype, double number);

// Returns the error to compare with a bound: the relative one, or infinity if elements are not
// finite, elements of a type other than float differ, or rows have no match.
double Weight(const TensorError& error);

}  // namespace opledger
