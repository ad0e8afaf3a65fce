// How far a tensor is from what it should be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Of two tensors with different counts, whose rows were matched by content.
struct RowCounts {
  std::size_t matched = 0;
  std::size_t missing = 0;  // only in what should be
  std::size_t added = 0;    // only in what is
  bool is_numbers = false;  // each row is one number
};

// Of floats, over the numbers that are finite in both. Infinite where all should be 0 and is not.
struct TensorError {
  Dtype dtype = Dtype::kFloat32;
  std::size_t numbers = 0;
  double ulp = 0;              // the largest, in units of the last place of the type at that number
  double absolute = 0;         // the largest
  double relative = 0;         // that, as a part of the largest number there should be
  double relative_l2 = 0;      // the norm of all errors as a part of the norm of the numbers
  std::size_t not_finite = 0;  // infinite or NaN where they should not be
  std::size_t unequal = 0;     // of other types than floats: how many differ
  std::optional<RowCounts> rows;  // the counts differ: all else is of the rows that match
};

// `exact`: float64 numbers of the same count where `type` is a float, else the type's own.
TensorError ErrorOf(const TensorType& type, const void* data, const ConstantTensor& exact);

// The distance from a number of this size to the next of a float type: 2^-10 for 1.5 of float16.
// It does not become smaller than that of the smallest normal number.
double UnitInLastPlace(Dtype dtype, double number);

// What an error counts for against a bound: the relative one, infinite where numbers are not
// finite, where others than floats differ, or where a row has no match.
double Weight(const TensorError& error);

}  // namespace opledger
