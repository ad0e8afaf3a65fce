// Exact statistics of all elements of a parameter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "conversion/model/ranges/ranges.h"
#include "registry/text/dtype.h"

namespace opledger {

struct ParameterStatistics {
  std::uint64_t count = 0;  // number of elements; 0: nothing is known
  float max_magnitude = 0;  // of the finite elements
  float min_magnitude = std::numeric_limits<float>::infinity();  // finite and nonzero
  float min = 0;          // finite; 0 if no element is negative
  float max = 0;          // finite; 0 if no element is positive
  bool zero = false;      // an element is zero
  bool infinite = false;  // an element is infinite or NaN
  bool nan = false;
  bool every_row_unmasked = true;  // each row along the last axis has an element that is not a mask
  // For a Boolean condition: each row along the last axis has an element of this value.
  bool every_row_true = false;
  bool every_row_false = false;

  // Adds little-endian float32 elements. They need not be aligned.
  void Add(const char* numbers, std::size_t more);

  // Returns the range of the elements.
  Range AsRange() const;
};

// Returns the smallest magnitude that counts as a mask. From there on, adjacent values of the type
// are at least 1 apart, so adding a score to the mask loses the score.
float MinMaskMagnitude(Dtype target);

}  // namespace opledger
